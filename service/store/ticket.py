"""Decides once whether work that waits for its turn begins or is given up."""

import threading

from service.domain.errors import Unavailable


class Ticket:
    """Shared by the thread that works and the loop that waits: the first of the two decides.

    `reason` is what the thread knows of why it has not begun, or not come to an end.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begun = False
        self._abandoned = False
        self.reason: str | None = None
        self.over = threading.Event()

    def begin(self) -> None:
        """Say that it is done now; raises `Unavailable` when it was given up."""
        with self._lock:
            if self._abandoned:
                raise Unavailable("The write was given up before its turn.", maybe_applied=False)
            self._begun = True

    def abandon(self) -> bool:
        """Give it up; False when it has begun."""
        with self._lock:
            self._abandoned = not self._begun
            return self._abandoned
