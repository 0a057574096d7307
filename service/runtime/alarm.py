"""Sleeping until a time, or until somebody rings."""

import asyncio

from service.domain.clock import Clock


class Alarm:
    """One sleeper, any number of callers who may wake it; a ring while it is awake is kept."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """Wake the sleeper, or let its next sleep end at once."""
        self._rung.set()

    async def sleep(self, seconds: float) -> None:
        """Return after `seconds`, or as soon as somebody rings."""
        if not self._rung.is_set() and seconds > 0:
            timer = asyncio.ensure_future(self._clock.sleep(seconds))
            timer.add_done_callback(self._end)
            try:
                await self._rung.wait()
            finally:
                timer.remove_done_callback(self._end)
                timer.cancel()
        self._rung.clear()

    def _end(self, _: asyncio.Future[None]) -> None:
        self._rung.set()
