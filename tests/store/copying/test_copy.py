"""Everything of one database stands in another afterwards, whatever cuts the copy off."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.domain.cursor import decode
from service.domain.errors import InvalidState, Unavailable
from service.domain.queue import QueuePolicy
from service.domain.transitions import complete, fail
from service.store.batch import perform
from service.store.copying.copy import copy
from service.store.copying.pages import pages
from service.store.copying.tables import TABLES, Table
from service.store.database import Database, Row
from service.store.enqueue import Enqueue
from service.store.queues import DeclareQueues
from service.store.store import Store
from tests.clock import FakeClock
from tests.services import DATABASES, Place, Process, judged, lent
from tests.store.making import asked, claim, enqueue, failure, launch, move, running

ODD = 'é 🙂 "quoted" \\ back\nslash \x01 {a,b} NULL'


@pytest.fixture(params=DATABASES)
def target(request: pytest.FixtureRequest, clock: FakeClock) -> Generator[Place]:
    with lent(request, request.param) as url, judged(url, clock):
        yield Place(url, clock)


def unseen(*_: object) -> None:
    """Show nobody how far the copy is."""


async def content(database: Database) -> dict[str, list[Row]]:
    return {
        table.name: [row async for page in pages(database, table, 10_000) for row in page]
        for table in TABLES
    }


@asynccontextmanager
async def opened(place: Place) -> AsyncGenerator[Database]:
    database = await place.open()
    try:
        yield database
    finally:
        await database.close()


async def filled(process: Process, clock: FakeClock) -> None:
    """Leave something in every table."""
    await process.store.write(DeclareQueues(policies=[QueuePolicy("orders", concurrency=20)]))
    await enqueue(process, idempotency_key=ODD, input=f'"{"x" * 5000}"')
    await enqueue(process, singleton_key="k", hooked=True)
    for held in await claim(process, 2):
        done = complete(held, '"ok"') if held.hooked else fail(held, failure(held, ODD))
        await move(process, done)
    await process.store.write(Enqueue(launches=[launch(priority=-3)], request=asked("mine")))
    await running(process)
    await clock.advance(40)


async def test_everything_is_there_and_goes_on(
    process: Process, target: Place, clock: FakeClock
) -> None:
    await filled(process, clock)
    before = await content(process.database)
    assert all(before.values()), {name for name, rows in before.items() if not rows}
    cursor = await process.store.events.head()
    async with opened(target) as database:
        total = await copy(process.database, database, unseen)
        assert total == sum(map(len, before.values()))
        assert await content(database) == before
    assert await content(process.database) == before
    async with target.process(process.registry) as there:
        assert await there.store.events.resolve(cursor) == cursor.position
        assert decode((await enqueue(there)).cursor).position == cursor.position + 1
        lost = await claim(there, 5)
        assert lost
        given_before = max(row[0] for row in before["hooks"])
        ended = await running(there, hooked=True)
        await move(there, complete(ended, "1"))
        after = await content(there.database.database)
        assert max(row[0] for row in after["hooks"]) > given_before


async def test_a_copy_that_was_cut_off_goes_on_where_it_was(
    process: Process, target: Place
) -> None:
    for _ in range(60):
        await enqueue(process)
    told: list[tuple[str, str, int]] = []

    def cut(what: str, table: str, done: int, total: int) -> None:
        told.append((what, table, done))
        if (table, done) == ("events", 16):
            raise KeyboardInterrupt

    async with opened(target) as database:
        with pytest.raises(KeyboardInterrupt):
            await copy(process.database, database, cut)
        store = Store(database, unseen)
        with pytest.raises(Unavailable, match="has not ended"):
            await store.check_whole()
        told.clear()
        await copy(process.database, database, lambda *each: told.append(each[:3]))
        assert told[:2] == [("copied", "instances", 60), ("copied", "failures", 0)]
        assert ("copied", "events", 16) in told
        assert await content(database) == await content(process.database)
        await store.check_whole()


async def test_a_source_in_use_is_refused(process: Process, target: Place) -> None:
    await running(process)
    async with opened(target) as database:
        with pytest.raises(InvalidState, match="Stop every server and worker"):
            await copy(process.database, database, unseen)
        assert not any((await content(database)).values())


async def test_a_source_that_moves_meanwhile_is_noticed(process: Process, target: Place) -> None:
    await enqueue(process)

    def meddle(what: str, table: str, *_: object) -> None:
        if (what, table) == ("copied", "requests"):
            write = Enqueue(launches=[launch()], request=asked())
            session = process.database.session()
            session.transaction(lambda tx: perform(tx, [write]))
            session.close()

    async with opened(target) as database:
        with pytest.raises(InvalidState, match="Something was written to the source"):
            await copy(process.database, database, meddle)
        with pytest.raises(InvalidState, match="another state of this one"):
            await copy(process.database, database, unseen)


async def test_a_target_with_something_in_it_is_refused_unchanged(
    process: Process, target: Place
) -> None:
    await enqueue(process)
    async with target.process(process.registry) as there:
        await enqueue(there)
        before = await content(there.database.database)
        with pytest.raises(InvalidState, match="not empty: instances"):
            await copy(process.database, there.database.database, unseen)
        assert await content(there.database.database) == before


async def test_a_difference_is_found(process: Process, target: Place) -> None:
    await enqueue(process)
    async with opened(target) as database:

        def spoil(what: str, table: str, *_: object) -> None:
            if (what, table) == ("copied", "requests"):
                spoiling.append(
                    asyncio.create_task(
                        database.transaction(
                            lambda tx: tx.compose("UPDATE instances SET priority = 7", ())
                        )
                    )
                )

        spoiling: list[asyncio.Task[Any]] = []
        with pytest.raises(InvalidState, match="copies of instances differ"):
            await copy(process.database, database, spoil)
        await asyncio.gather(*spoiling)


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
WHOLE = st.integers(-(2**62), 2**62)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(TEXT, TEXT, WHOLE), max_size=40, unique_by=lambda row: row[0]))
def test_odd_rows_arrive_as_they_are(
    request: pytest.FixtureRequest, rows: list[tuple[str, str, int]]
) -> None:
    async def work() -> None:
        table = next(each for each in TABLES if each.name == "requests")
        with lent(request, "sqlite") as here, lent(request, "postgres") as there:
            async with (
                opened(Place(here, FakeClock())) as one,
                opened(Place(there, FakeClock())) as other,
            ):
                given_rows = [(key, text, text, number) for key, text, number in rows]
                await one.transaction(lambda tx: tx.run("copy_requests", given_rows))
                await copy(one, other, unseen)
                assert await _rows(other, table) == sorted(
                    given_rows, key=lambda row: row[0].encode()
                )

    asyncio.run(work())


async def _rows(database: Database, table: Table) -> list[Row]:
    return [row async for page in pages(database, table, 10_000) for row in page]


async def test_text_that_the_target_can_not_hold_is_named(request: pytest.FixtureRequest) -> None:
    with lent(request, "sqlite") as here, lent(request, "postgres") as there:
        async with (
            opened(Place(here, FakeClock())) as one,
            opened(Place(there, FakeClock())) as other,
        ):
            row = ("key-7", "a", "b\0c", 1)
            await one.transaction(lambda tx: tx.run("copy_requests", [row]))
            with pytest.raises(InvalidState, match="row of requests, 'key-7'"):
                await copy(one, other, unseen)
