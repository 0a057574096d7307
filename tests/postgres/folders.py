"""Temporary folders of clusters, which the next run clears away if this one was killed.

Whoever uses a folder holds a lock on it that the system gives up when its process ends, however it
ends. So a folder whose lock is free is a leftover. Folders come and go under one more lock.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from tests.postgres.account import Account

ROOMY = 1 << 30
"""How many bytes must be free in memory for clusters to be put there."""

_MEMORY = Path("/dev/shm")  # noqa: S108 - files without a disk, where a machine has room for them
_NAME = "workflow-postgres"


class Folder:
    """A folder that somebody uses, and so keeps, until `leave`."""

    def __init__(self, path: Path, account: Account) -> None:
        self.path = path
        if not path.exists():
            path.mkdir()
            account.take(path)
        self._held = os.open(path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(self._held, fcntl.LOCK_SH)

    def leave(self) -> bool:
        """Stop using it, and tell whether nobody else does."""
        os.close(self._held)
        return is_free(self.path)


def disk(account: Account) -> Path:
    """Return where files are put that must be on a disk: programs don't run everywhere else."""
    places = (Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp"))  # noqa: S108 - as below
    return next(path for path in places if account.reaches(path))


def memory(account: Account) -> Path:
    """Return where clusters are put: in memory where there is room, else on a disk."""
    if os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > ROOMY:
        return _MEMORY
    return disk(account)


@contextmanager
def alone(where: Path) -> Generator[None]:
    """Let no other process of ours make or clear away a folder meanwhile."""
    held = os.open(where / f"{_NAME}-{os.getuid()}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def named(where: Path, name: str | None = None) -> Path:
    """Return the path of a folder by that name, or by one that was never used."""
    return where / f"{_NAME}-{os.getuid()}-{name or uuid4().hex}"


def leftovers(where: Path) -> list[Path]:
    """Return the folders that nobody uses any more; ask `alone`."""
    return [path for path in where.glob(f"{_NAME}-{os.getuid()}-*") if is_free(path)]


def is_free(path: Path) -> bool:
    """Tell whether nobody holds the lock on a folder."""
    held = os.open(path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    else:
        return True
    finally:
        os.close(held)
