"""Tells from outside whether an event loop still turns, and what holds it up."""

import asyncio
import logging
import sys
import threading
import traceback

from service.domain.clock import Clock

_log = logging.getLogger(__name__)


class Pulse:
    """The loop beats once a second; another thread may ask how long ago that was."""

    def __init__(self, clock: Clock, *, blocked_after: float, blocked_limit: float) -> None:
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._blocked_after = blocked_after
        self._blocked_limit = blocked_limit
        self._beat = clock.monotonic()
        self._thread = threading.get_ident()
        self._reported = False

    async def run(self) -> None:
        """Beat until cancelled."""
        while True:
            self._beat = self._clock.monotonic()
            if self._reported:
                self._reported = False
                _log.warning("The event loop turns again.")
            await self._clock.sleep(min(1.0, self._blocked_after / 2))

    @property
    def blocked_for(self) -> float:
        """Return the seconds since the last beat, 0 while the loop turns."""
        silent = self._clock.monotonic() - self._beat
        return silent if silent > self._blocked_after else 0.0

    @property
    def blocked_too_long(self) -> bool:
        """Return whether the loop is blocked for longer than it may keep its leases."""
        return self.blocked_for > self._blocked_limit

    @property
    def culprit(self) -> str:
        """Return the name of the task that runs now: its workflow and instance."""
        task = asyncio.current_task(self._loop)
        return "no task" if task is None else task.get_name()

    def look(self) -> None:
        """Report, once, that the loop is blocked, by whom and where."""
        blocked = self.blocked_for
        if not blocked or self._reported:
            return
        self._reported = True
        frame = sys._current_frames().get(self._thread)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        stack = "".join(traceback.format_stack(frame)) if frame is not None else ""
        _log.error(
            "%s blocks the event loop for %.0f s: nothing else runs here meanwhile. Await, or use "
            "asyncio.to_thread, instead of blocking.\n%s",
            self.culprit,
            blocked,
            stack,
        )
