"""SQLite as a `Database`: one writer thread and a few readers, all through aiosqlite."""

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TypeVar, cast

import aiosqlite

from service.domain.clock import Clock
from service.domain.errors import Unavailable
from service.store.database import Heard, Params, Row, Work
from service.store.migrate import Purpose, migrate
from service.store.sqlite.connection import Connection, connect, prepare, read, write
from service.store.sqlite.faults import translate
from service.store.sqlite.sidefile import SideFile
from service.store.sqlite.transaction import SqliteTransaction
from service.store.ticket import Ticket
from service.store.waiting import Waiting

T = TypeVar("T")
_OLDEST_SQLITE = (3, 37, 0)
_READERS = 2


class Line:
    """One aiosqlite connection that takes jobs."""

    def __init__(self, connection: aiosqlite.Connection, raw: Connection) -> None:
        self._connection = connection
        self.raw = raw

    async def run(self, job: Callable[[], T]) -> T:
        """Run the job in the connection's thread and return what it returns."""
        answer: list[T] = []
        self.raw.jobs.append(lambda: answer.append(job()))
        await self._connection.commit()
        return answer[0]

    async def close(self) -> None:
        """Close the connection and end its thread."""
        await self._connection.close()


class SqliteSession:
    """A connection for a thread of the caller's."""

    def __init__(self, path: Path, busy_timeout: float, clock: Clock) -> None:
        self._raw = connect(str(path), busy_timeout)
        prepare(self._raw, clock)
        self._side = SideFile(path)
        self._clock = clock

    def transaction(self, work: Work[T]) -> T:
        """Run `work` atomically."""
        return write(self._raw, self._side, self._clock, work, Ticket())

    def close(self) -> None:
        """Close the connection."""
        self._raw.close()
        self._side.close()


class SqliteDatabase:
    """One SQLite file, opened. A write waits at most `busy_timeout` seconds for its turn."""

    def __init__(self, path: Path, lines: list[Line], busy_timeout: float, clock: Clock) -> None:
        self._path = path
        self._side = SideFile(path)
        self._writer, *readers = lines
        self._readers = readers
        self._idle = deque(readers)
        self._free = asyncio.Semaphore(len(readers))
        self._busy_timeout = busy_timeout
        self._clock = clock

    async def fetch(self, name: str, params: Params = ()) -> list[Row]:
        """Return the rows of one statement on its own."""
        return await self.read(lambda tx: tx.all(name, params))

    async def read(self, work: Work[T]) -> T:
        """Run `work` on one snapshot."""
        async with self._free:
            line = self._idle.popleft()
            try:
                return await line.run(lambda: read(line.raw, self._clock, work))
            finally:
                self._idle.append(line)

    async def transaction(self, work: Work[T]) -> T:
        """Run `work` atomically; give up, with nothing written, when its turn doesn't come."""
        ticket = Ticket()
        waiting = Waiting(ticket, self._busy_timeout)
        try:
            return await self._writer.run(
                lambda: write(self._writer.raw, self._side, self._clock, work, ticket)
            )
        except asyncio.CancelledError:
            waiting.raise_if_over()
            raise
        finally:
            waiting.end()

    def listen(self, heard: Heard) -> None:
        """Don't call: `committed` costs next to nothing."""

    def committed(self) -> int:
        """Return the log position that some process told of last."""
        return self._side.read()

    def session(self) -> SqliteSession:
        """Open a connection for the calling thread."""
        return SqliteSession(self._path, self._busy_timeout, self._clock)

    async def close(self) -> None:
        """Finish what is under way and close every connection."""
        for line in (self._writer, *self._readers):
            await line.close()
        self._side.close()


async def open_sqlite(
    path: Path, *, busy_timeout: float, clock: Clock, purpose: Purpose = Purpose.WORK
) -> SqliteDatabase:
    """Open the file, made and migrated as needed; raises `Unavailable` when it can't be."""
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        raise Unavailable(
            f"SQLite {sqlite3.sqlite_version} is too old: use a Python built with SQLite "
            f"{'.'.join(map(str, _OLDEST_SQLITE))} or newer.",
            maybe_applied=False,
        )
    await asyncio.to_thread(prepare_file, path, busy_timeout, clock, purpose)
    lines: list[Line] = []
    for _ in range(1 + _READERS):
        opened: list[Connection] = []
        connection = await aiosqlite.connect(
            str(path),
            timeout=busy_timeout,
            isolation_level=None,
            factory=_remembering(opened),
            cached_statements=256,
        )
        lines.append(Line(connection, opened[0]))
    try:
        for line in lines:
            await line.run(lambda raw=line.raw: prepare(raw, clock))
    except sqlite3.Error as error:
        for line in lines:
            await line.close()
        raise _unusable(path, _reason(error)) from error
    return SqliteDatabase(path, lines, busy_timeout, clock)


def prepare_file(
    path: Path, busy_timeout: float, clock: Clock, purpose: Purpose = Purpose.WORK
) -> list[int]:
    """Make the file if there is none and bring it up to date; return the migrations applied."""
    if purpose is Purpose.COPY_FROM and not path.exists():
        raise _unusable(path, "there is no such file.", "Give the path of one that is there.")
    try:
        with (
            closing(SideFile(path)) as side,
            closing(connect(str(path), busy_timeout)) as raw,
        ):
            with side.turn():
                prepare(raw, clock)
            work = partial(_bring_up_to_date, purpose=purpose)
            return write(raw, side, clock, work, Ticket())
    except OSError as error:
        raise _unusable(path, f"{error.strerror}.") from error
    except ValueError as error:
        raise _unusable(path, "it names no file.") from error
    except sqlite3.Error as error:
        raise _unusable(path, _reason(error)) from error
    except Unavailable as error:
        raise _unusable(path, error.reason, error.advice) from error


def _reason(error: sqlite3.Error) -> str:
    told = translate(error, committing=False)
    return told.reason if isinstance(told, Unavailable) else f"{told}."


def _unusable(path: Path, reason: str, advice: str | None = None) -> Unavailable:
    return Unavailable(
        f"The database {path} can't be used: {reason}",
        maybe_applied=False,
        advice=advice
        or "The file and its folder must be writable, and it must be made by this service: "
        "mend that, or give another one as --database or WORKFLOW_DATABASE.",
    )


def _bring_up_to_date(tx: SqliteTransaction, purpose: Purpose) -> list[int]:
    """Migrate, and say where the log stands: a file that was put back says something else."""
    applied = migrate(tx, "service.store.sqlite", purpose)
    tx.announced = tx.all("head")[0][0]
    return applied


def _remembering(opened: list[Connection]) -> type[Connection]:
    def make(*args: object, **kwargs: object) -> Connection:
        connection = Connection(*args, **kwargs)
        opened.append(connection)
        return connection

    return cast("type[Connection]", make)
