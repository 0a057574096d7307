"""Decides once whether a write that waits for its turn begins or is given up."""

import threading

from service.domain.errors import Unavailable


class Ticket:
    """Shared by the thread that writes and the loop that waits: the first of the two decides."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begun = False
        self._abandoned = False

    def begin(self) -> None:
        """Say that it is written now; raises `Unavailable` when it was given up."""
        with self._lock:
            if self._abandoned:
                raise Unavailable("The write was given up before its turn.", maybe_applied=False)
            self._begun = True

    def abandon(self) -> bool:
        """Give it up; False when it has begun."""
        with self._lock:
            self._abandoned = not self._begun
            return self._abandoned
