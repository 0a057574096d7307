import asyncio
import re

import pytest

from service.domain.clock import SECOND
from service.domain.errors import Unavailable
from service.runtime.clock import SystemClock
from service.store import migrate as module
from service.store.migrate import migrations
from service.store.opening import migrate_database, open_database
from tests.clock import FakeClock
from tests.services import Place, Process
from tests.store.making import enqueue

TABLES = {
    "sqlite": "SELECT name FROM sqlite_master ORDER BY name",
    "postgres": "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace "
    "ORDER BY relname",
}


@pytest.fixture
def package(dialect: str) -> str:
    """Where the migrations of the database are."""
    return f"service.store.{dialect}"


def test_migrations_are_numbered_without_a_gap(package: str) -> None:
    numbers = [number for number, _ in migrations(package)]
    assert numbers == list(range(1, len(numbers) + 1))


async def test_what_is_applied_is_noted_with_its_time_and_said(blank: str, package: str) -> None:
    clock = SystemClock()
    numbers = [number for number, _ in migrations(package)]
    begun = clock.now()
    assert migrate_database(blank, busy_timeout=5, clock=clock) == numbers
    database = await open_database(blank, busy_timeout=5, clock=clock)
    try:
        rows = await database.read(lambda tx: tx.compose("SELECT number, at FROM migrations", ()))
    finally:
        await database.close()
    assert [number for number, _ in rows] == numbers
    for _, at in rows:
        assert begun - SECOND <= at <= clock.now() + SECOND
    assert migrate_database(blank, busy_timeout=5, clock=clock) == []


async def test_opening_again_applies_nothing(place: Place, process: Process) -> None:
    placed = await enqueue(process)
    before = await process.rows("SELECT * FROM migrations")
    await place.clock.advance(10)
    async with place.process() as again:
        assert await again.rows("SELECT * FROM migrations") == before
        assert await again.store.instances.get(placed.instance.id)


async def test_processes_that_start_together_apply_each_once(blank: str, package: str) -> None:
    place = Place(blank, FakeClock())
    opened = await asyncio.gather(*(place.open() for _ in range(8)))
    try:
        rows = await opened[0].read(lambda tx: tx.compose("SELECT number FROM migrations", ()))
        assert rows == [(number,) for number, _ in migrations(package)]
    finally:
        for database in opened:
            await database.close()


async def test_a_database_of_a_newer_release_is_refused_and_left_alone(place: Place) -> None:
    async with place.process() as process:
        await process.alter("INSERT INTO migrations VALUES (9999, 0)")
    with pytest.raises(Unavailable, match=re.escape("migration 9999")) as caught:
        await place.open()
    assert not caught.value.maybe_applied
    with pytest.raises(Unavailable):
        await place.open()


async def test_a_new_migration_is_applied_to_what_is_there(
    place: Place, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with place.process() as process:
        placed = await enqueue(process)
    known = migrations(package)
    text = "CREATE TABLE more (n INTEGER); -- so; and so\nINSERT INTO more\n  VALUES (7);\n"
    newer = [*known, (known[-1][0] + 1, text)]
    monkeypatch.setattr(module, "migrations", lambda _: newer)
    async with place.process() as process:
        assert await process.rows("SELECT n FROM more") == [(7,)]
        assert await process.store.instances.get(placed.instance.id)
        assert len(await process.rows("SELECT * FROM migrations")) == len(newer)


async def test_a_migration_that_fails_leaves_nothing_behind(
    place: Place, dialect: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with place.process() as process:
        before = await process.rows(TABLES[dialect])
    known = migrations(package)
    text = "CREATE TABLE more (n INTEGER);\nINSERT INTO nowhere VALUES (7);\n"
    with monkeypatch.context() as patched:
        patched.setattr(module, "migrations", lambda _: [*known, (known[-1][0] + 1, text)])
        with pytest.raises(Exception, match="nowhere"):
            await place.open()
    async with place.process() as process:
        assert await process.rows(TABLES[dialect]) == before
