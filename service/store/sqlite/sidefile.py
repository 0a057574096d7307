"""The file beside the database: whose turn it is to write, and how far the log has come.

SQLite's own busy handler polls, and is unfair between processes; a lock on this file is a queue.
The log position in it spares the other processes a query to learn that something was committed.
"""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_WIDTH = 8


class SideFile:
    """One open handle of the side file; each thread that writes has its own."""

    def __init__(self, database: Path) -> None:
        path = database.with_name(f"{database.name}-lock")
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)

    @contextmanager
    def turn(self) -> Generator[None]:
        """Wait for the turn to write, and keep it for the block."""
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def read(self) -> int:
        """Return the log position that was told last."""
        return int.from_bytes(os.pread(self._descriptor, _WIDTH, 0), "little")

    def tell(self, position: int) -> None:
        """Tell every process of a log position; call it in one's turn."""
        os.pwrite(self._descriptor, position.to_bytes(_WIDTH, "little"), 0)

    def close(self) -> None:
        """Close the handle."""
        os.close(self._descriptor)
