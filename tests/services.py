"""Databases, and processes on them, for tests that stand on a real one.

What asks for `place`, `process` or `url` runs once on each of `DATABASES`, as the fixture `dialect`
in tests/conftest.py says; a folder or a file of tests for one alone has a `dialect` of its own.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import pytest

from service.domain.events import Event, EventType
from service.domain.ids import time_ordered
from service.domain.registry import Workflows as Registry
from service.emitter import Emitter
from service.operations.events import Events
from service.operations.queues import Queues
from service.operations.workflows import Workflows
from service.store.database import Database, Params, Row, Work
from service.store.opening import open_database
from service.store.store import Store
from service.store.urls import SQLITE
from tests.clock import FakeClock
from tests.postgres.databases import Databases
from tests.postgres.judging import Judge
from tests.scenarios.raw import alter

DATABASES = ("sqlite", "postgres")

PAYLOAD_LIMIT = 10_000
ENQUEUE_MANY_LIMIT = 100

T = TypeVar("T")

_CALM = 30
_MEMORY = "/dev/shm"  # noqa: S108 - files without a disk, where a machine has them: ten times as fast


class Observed:
    """A database that tells how much of it is under way."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.under_way = 0
        self.committed = database.committed
        self.listen = database.listen
        self.session = database.session
        self.close = database.close

    async def fetch(self, name: str, params: Params = ()) -> list[Row]:
        with self._counted():
            return await self.database.fetch(name, params)

    async def read(self, work: Work[T]) -> T:
        with self._counted():
            return await self.database.read(work)

    async def transaction(self, work: Work[T]) -> T:
        with self._counted():
            return await self.database.transaction(work)

    @contextmanager
    def _counted(self) -> Generator[None]:
        self.under_way += 1
        try:
            yield
        finally:
            self.under_way -= 1


class Process:
    """What one process has of a database. `fed` is every event that it committed, in order."""

    def __init__(self, database: Database, clock: FakeClock, registry: Registry) -> None:
        self.database = Observed(database)
        self.clock = clock
        self.registry = registry
        self.new_id = time_ordered(clock)
        self.fed: list[Event] = []
        self.emitter = Emitter()
        self.store = Store(self.database, self._feed)
        self.workflows = Workflows(
            self.store,
            registry,
            self.new_id,
            payload_limit=PAYLOAD_LIMIT,
            enqueue_many_limit=ENQUEUE_MANY_LIMIT,
        )
        self.queues = Queues(self.store, registry, self.new_id, self.emitter.stir)
        self.events = Events(self.store.events, self.emitter)

    def told(self, instance_id: str | None = None) -> list[EventType]:
        """Return the types of the events that this process committed, in order."""
        return [event.type for event in self.fed if instance_id in (None, event.instance_id)]

    async def rows(self, text: str, *params: Any) -> list[Row]:
        """Return what a query of the test's own finds."""
        return await self.database.read(lambda tx: tx.compose(text, params))

    async def alter(self, text: str, *params: Any) -> None:
        """Change rows behind the store's back."""
        await self.database.transaction(lambda tx: tx.compose(text, params))

    async def calm(self) -> None:
        """Wait until everything that could be done by now was done."""
        async with asyncio.timeout(10):
            turns = 0
            while turns < _CALM:
                await asyncio.sleep(0.0005 if self.database.under_way else 0)
                turns = 0 if self.database.under_way else turns + 1

    async def pass_time(self, seconds: float, step: float = 0.1) -> None:
        """Move the clock on in small steps, and let everything be done that is due at each."""
        end = self.clock.monotonic() + seconds
        await self.calm()
        while self.clock.monotonic() < end:
            await self.clock.advance(step)
            await self.calm()

    async def pass_until(
        self, reached: Callable[[], object], *, step: float = 0.1, limit: float = 600
    ) -> None:
        """Move the clock on as `pass_time` does until `reached()`; raises TimeoutError."""
        end = self.clock.monotonic() + limit
        await self.calm()
        while not reached():
            if self.clock.monotonic() >= end:
                raise TimeoutError(f"not reached in {limit:g} s of the fake clock")
            await self.clock.advance(step)
            await self.calm()

    def _feed(self, events: Sequence[Event]) -> None:
        self.fed.extend(events)
        self.emitter.feed(events)


class Place:
    """Where a test's database is; it is there when it is first opened."""

    def __init__(self, url: str, clock: FakeClock) -> None:
        self.url = url
        self.clock = clock

    @property
    def path(self) -> Path:
        """Return the file of a database on SQLite."""
        return Path(self.url.removeprefix(SQLITE))

    async def open(self, *, busy_timeout: float = 5.0) -> Database:
        """Open the database once more; whoever asks closes it."""
        return await open_database(self.url, busy_timeout=busy_timeout, clock=self.clock)

    @asynccontextmanager
    async def process(
        self,
        registry: Registry | None = None,
        *,
        busy_timeout: float = 5.0,
    ) -> AsyncGenerator[Process]:
        """Open the database as one more process, until the block ends."""
        database = await self.open(busy_timeout=busy_timeout)
        process = Process(database, self.clock, registry or Registry())
        try:
            process.emitter.start((await process.store.events.head()).position)
            yield process
        finally:
            process.emitter.close()
            await process.store.close()


async def until(reached: Callable[[], object], seconds: float = 10.0) -> None:
    """Wait for what other threads do, in real time; raises TimeoutError."""
    async with asyncio.timeout(seconds):
        while not reached():
            await asyncio.sleep(0.001)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def url(request: pytest.FixtureRequest, dialect: str) -> Generator[str]:
    """The URL of a database of the test's own, in which the real clock judges."""
    with lent(request, dialect) as url:
        yield url


@pytest.fixture
def blank(request: pytest.FixtureRequest, dialect: str) -> Generator[str]:
    """The URL of a database with nothing in it: on SQLite, one that isn't there yet."""
    with lent(request, dialect, migrated=False) as url:
        yield url


@pytest.fixture
def place(request: pytest.FixtureRequest, dialect: str, clock: FakeClock) -> Generator[Place]:
    with lent(request, dialect) as url, judged(url, clock):
        yield Place(url, clock)


@pytest.fixture
def elsewhere(request: pytest.FixtureRequest, dialect: str, clock: FakeClock) -> Generator[Place]:
    """Another database of the same kind, with a history of its own."""
    with lent(request, dialect) as url, judged(url, clock):
        renew_origin(url)
        yield Place(url, clock)


@contextmanager
def lent(request: pytest.FixtureRequest, dialect: str, *, migrated: bool = True) -> Generator[str]:
    """Have a database until the block ends; yields its URL. On SQLite nothing is there yet."""
    if dialect == "sqlite":
        with file_url() as url:
            yield url
        return
    databases: Databases = request.getfixturevalue("postgres_databases")
    url = databases.fresh() if migrated else databases.blank()
    try:
        yield url
    finally:
        databases.release(url)


@contextmanager
def judged(url: str, clock: FakeClock) -> Generator[None]:
    """Let a fake clock judge in a database until the block ends; on SQLite it does anyway."""
    if url.startswith(SQLITE):
        yield
        return
    with Judge(url, clock.now()) as judge:
        clock.on_move.append(judge.set)
        try:
            yield
        finally:
            clock.on_move.remove(judge.set)


def renew_origin(url: str) -> None:
    """Give an empty database another origin: those on PostgreSQL are copies of a single one."""
    if not url.startswith(SQLITE):
        alter(url, "UPDATE log SET origin = origin + 1, head_mark = origin + 1")


@contextmanager
def file_url() -> Generator[str]:
    """Yield the URL of a file that is not there yet, in memory where a machine has such files."""
    with TemporaryDirectory(dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None) as folder:
        yield f"{SQLITE}{folder}/wf.db"


@pytest.fixture
async def process(place: Place) -> AsyncGenerator[Process]:
    async with place.process() as opened:
        yield opened


@pytest.fixture
async def other(place: Place, process: Process) -> AsyncGenerator[Process]:
    """A second process on the database of `process`."""
    async with place.process() as opened:
        yield opened
