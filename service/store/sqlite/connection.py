"""SQLite connections of ours, and how one transaction runs on them."""

import sqlite3
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

from service.domain.clock import Clock
from service.store.database import Work
from service.store.sqlite.faults import translate
from service.store.sqlite.sidefile import SideFile
from service.store.sqlite.transaction import SqliteTransaction
from service.store.ticket import Ticket

T = TypeVar("T")

_SETUP = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA foreign_keys = ON;
PRAGMA temp_store = MEMORY;
PRAGMA cache_size = -32768;
PRAGMA wal_autocheckpoint = 2000;
PRAGMA journal_size_limit = 33554432;
"""


class Connection(sqlite3.Connection):
    """A connection that runs whole jobs in its thread, driven by aiosqlite's own `commit()`.

    One call of aiosqlite is one hop to its thread and back: a job takes as many statements as it
    likes along.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.jobs: deque[Callable[[], None]] = deque()

    def commit(self) -> None:
        """Run the oldest job."""
        self.jobs.popleft()()


def connect(path: str, busy_timeout: float) -> Connection:
    """Return a connection; it waits up to `busy_timeout` seconds for writers that take no turn."""
    try:
        return sqlite3.connect(
            path,
            timeout=busy_timeout,
            isolation_level=None,
            check_same_thread=False,
            factory=Connection,
            cached_statements=256,
        )
    except sqlite3.Error as error:
        raise translate(error, committing=False) from error


def prepare(raw: sqlite3.Connection, clock: Clock) -> None:
    """Set a fresh connection up; its `workflow_now()` is the clock's instant."""
    try:
        raw.create_function("workflow_now", 0, clock.now)
        raw.executescript(_SETUP)
    except sqlite3.Error as error:
        raise translate(error, committing=False) from error


def read(raw: sqlite3.Connection, clock: Clock, work: Work[T]) -> T:
    """Run `work` on one snapshot."""
    try:
        raw.execute("BEGIN")
        try:
            return work(SqliteTransaction(raw, clock.now()))
        finally:
            raw.execute("ROLLBACK")
    except sqlite3.Error as error:
        raise translate(error, committing=False) from error


def write(
    raw: sqlite3.Connection,
    side: SideFile,
    clock: Clock,
    work: Callable[[SqliteTransaction], T],
    ticket: Ticket,
) -> T:
    """Wait for the turn, run `work` atomically, tell the others; on disk when this returns."""
    with side.turn():
        committing = False
        try:
            raw.execute("BEGIN IMMEDIATE")
            ticket.begin()
            transaction = SqliteTransaction(raw, clock.now())
            answer = work(transaction)
            committing = True
            raw.execute("COMMIT")
        except BaseException as error:
            if raw.in_transaction:
                raw.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise translate(error, committing=committing) from error
            raise
        if transaction.announced is not None:
            side.tell(transaction.announced)
        return answer
