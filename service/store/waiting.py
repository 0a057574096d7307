"""How long a task waits for work in another thread."""

import asyncio

from service.domain.errors import Unavailable
from service.store.ticket import Ticket

_BUSY = "Other processes keep the database busy."
_SLOW = "The database is too slow."


class Waiting:
    """Bounds the wait of the running task: `seconds` for the turn, and as long for the work.

    What has not begun by then is given up; what has begun is left to its thread, and after the
    second bound nobody knows what became of it.
    """

    def __init__(self, ticket: Ticket, seconds: float) -> None:
        self._ticket = ticket
        self._seconds = seconds
        self._task = asyncio.current_task()
        self._loop = asyncio.get_running_loop()
        self._timer = self._loop.call_later(seconds, self._look)
        self._over: Unavailable | None = None

    def raise_if_over(self) -> None:
        """Raise `Unavailable` when the wait was cut short here, and not by another's cancel."""
        if self._over is not None:
            if self._task is not None:
                self._task.uncancel()
            raise self._over

    def end(self) -> None:
        """Say that the wait is over."""
        self._timer.cancel()

    def _look(self) -> None:
        if self._ticket.abandon():
            self._cut(Unavailable(self._ticket.reason or _BUSY, maybe_applied=False))
        else:
            self._timer = self._loop.call_later(self._seconds, self._give_up)

    def _give_up(self) -> None:
        self._cut(Unavailable(self._ticket.reason or _SLOW))

    def _cut(self, reason: Unavailable) -> None:
        self._over = reason
        self._ticket.over.set()
        if self._task is not None:
            self._task.cancel()
