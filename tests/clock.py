"""A clock that stands still until a test moves it."""

import asyncio
import heapq
from collections.abc import Callable
from itertools import count

from service.domain.clock import SECOND, Instant

NOON = 1_750_000_000 * SECOND
"""An instant in June 2025, where fake clocks start."""

_TURNS = 30


class FakeClock:
    """Tells the time that a test set; a sleeper wakes when `advance` passes its due time.

    Its sleepers may wait on several event loops; `advance` lets only its caller's run.
    """

    def __init__(self, start: Instant = NOON) -> None:
        self._start = start
        self._moved = 0
        self.on_move: list[Callable[[Instant], None]] = []
        """Told of each new instant: what judges time elsewhere must move with this clock."""
        self._sleepers: list[tuple[int, int, asyncio.Future[None]]] = []
        self._order = count()

    @property
    def _elapsed(self) -> int:
        return self._moved

    @_elapsed.setter
    def _elapsed(self, elapsed: int) -> None:
        if elapsed != self._moved:
            self._moved = elapsed
            self._tell()

    def _tell(self) -> None:
        for moved in self.on_move:
            moved(self.now())

    def now(self) -> Instant:
        """Return the wall clock's instant."""
        return self._start + self._elapsed

    def monotonic(self) -> float:
        """Return the seconds that this clock was moved on by."""
        return self._elapsed / SECOND

    async def sleep(self, seconds: float) -> None:
        """Return when this clock has been moved on by `seconds`."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # However short a sleep, the clock has to move for it to end.
        due = self._elapsed + max(1, round(seconds * SECOND))
        heapq.heappush(self._sleepers, (due, next(self._order), woken))
        await woken

    @property
    def sleepers(self) -> int:
        """Return how many sleep now."""
        return sum(not woken.done() for _, _, woken in self._sleepers)

    def set_wall(self, seconds: float) -> None:
        """Set the wall clock forward, or back, by `seconds`; the monotonic one doesn't move."""
        self._start += round(seconds * SECOND)
        self._tell()

    async def advance(self, seconds: float) -> None:
        """Move on by `seconds`, stopping at each due time on the way to let its sleeper run.

        Work in other threads isn't waited for: see `advance_until`.
        """
        target = self._elapsed + round(seconds * SECOND)
        await _let_run()
        while self._sleepers and self._sleepers[0][0] <= target:
            due, _, woken = heapq.heappop(self._sleepers)
            if not woken.done():
                self._elapsed = due
                woken.get_loop().call_soon_threadsafe(_wake, woken)
                await _let_run()
        self._elapsed = target
        await _let_run()

    async def advance_until(
        self, reached: Callable[[], bool], *, step: float = 0.1, limit: float = 600
    ) -> None:
        """Move on by `step` seconds at a time until `reached()`, giving other threads time to work.

        Raises TimeoutError when `limit` seconds of this clock did not do.
        """
        end = self.monotonic() + limit
        while not reached():
            if self.monotonic() >= end:
                raise TimeoutError(f"not reached in {limit:g} s of the fake clock")
            await self.advance(step)
            await asyncio.sleep(0.001)


def _wake(sleeper: asyncio.Future[None]) -> None:
    if not sleeper.done():
        sleeper.set_result(None)


async def _let_run() -> None:
    for _ in range(_TURNS):
        await asyncio.sleep(0)
