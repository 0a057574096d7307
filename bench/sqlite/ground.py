"""The benches on SQLite: a file for each database, in one folder."""

import shutil
import sqlite3
import tempfile
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from bench.drain import draining
from bench.ground import Tap
from bench.sqlite import rows, seed, single_row
from bench.sqlite.files import path_of, remove, url_of
from bench.sqlite.limits import limits
from bench.sqlite.standards import STANDARDS
from bench.turns import Measure


class SqliteGround:
    """A folder of its own, inside the one that is given or where temporary files lie."""

    title = f"SQLite {sqlite3.sqlite_version}, synchronous=FULL"
    standards = STANDARDS
    limits = staticmethod(limits)
    backlogs = staticmethod(draining)

    def __init__(self, parent: Path | None) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="bench-", dir=parent))

    def new_database(self, name: str) -> str:
        """Return the URL of a file that is not there yet."""
        return url_of(self._folder / f"{name}.db")

    def drop(self, url: str) -> None:
        """Delete a file."""
        remove(path_of(url))

    def close(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self._folder)

    def commits(self, url: str) -> AbstractAsyncContextManager[Measure]:
        """Connect what makes a single durable commit."""
        return single_row.commits(path_of(url))

    @asynccontextmanager
    async def tap(self, url: str) -> AsyncGenerator[Tap]:
        """Open nothing: what is asked of a file can't be counted from outside."""
        yield Tap(url)

    def fill_with_finished(self, url: str, total: int) -> None:
        """Give an empty database completed instances."""
        seed.finished(path_of(url), total)

    def fill_with_waiting(self, url: str, total: int) -> None:
        """Give an empty database pending instances in other queues."""
        seed.waiting(path_of(url), total)

    def empty_queue(self, url: str) -> None:
        """Take away what was enqueued for nobody."""
        connection = rows.connect(path_of(url))
        connection.execute("DELETE FROM instances WHERE queue = 'noop' AND status = 'PENDING'")
        connection.execute("PRAGMA wal_checkpoint(truncate)")
        connection.close()
