"""Somebody on the same PostgreSQL is slow, frozen, or has a wrong clock: the others go on."""

import asyncio
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from itertools import pairwise

import psycopg
import pytest

from service import Context, Retry, Workflows
from service.bootstrap import Service
from service.domain.clock import SECOND, Instant
from service.domain.events import Event, EventType
from service.runtime.clock import SystemClock
from service.store.database import Transaction
from tests.postgres.databases import Databases
from tests.postgres.proxy import Proxy
from tests.processes import Crew
from tests.scenarios.authored import workflows as authored
from tests.scenarios.history import position
from tests.scenarios.inside import (
    ended,
    enqueue,
    enqueue_many,
    history,
    observing,
    services,
    site,
    types,
)
from tests.scenarios.notes import BEGAN, ENDED, Notes, note
from tests.scenarios.reading import collected, follow
from tests.scenarios.traps import then

CHOOSE = b"NO KEY UPDATE SKIP LOCKED"
"""Words of the statement by which a claim chooses, when it holds the queue."""


def registry() -> Workflows:
    workflows = Workflows()

    @workflows.workflow
    async def job(ctx: Context[None], params: None) -> None: ...

    return workflows


@contextmanager
def appending(service: Service, seconds: float) -> Generator[None]:
    """Begin a transaction that writes to the log, and commit it after a while."""
    held = threading.Event()

    def write(tx: Transaction) -> None:
        tx.compose("UPDATE log SET head_mark = head_mark WHERE id = ?", (1,))
        held.set()
        time.sleep(seconds)

    def run() -> None:
        session = service.store.session()
        session.transaction(write)
        session.close()

    thread = threading.Thread(target=run)
    thread.start()
    held.wait(10)
    yield
    thread.join()


async def test_a_slow_commit_delays_the_others_and_nobody_misses_anything(
    postgres_database: str,
) -> None:
    count = 40
    async with services(postgres_database, registry(), 2) as (one, other), asyncio.timeout(60):
        following = [asyncio.create_task(follow(each, "", 3 * count)) for each in (one, other)]
        await ended(one, *await enqueue_many(one, "job", [None] * 10))
        with appending(other, 1.0):
            began = time.monotonic()
            waiting = asyncio.gather(
                *(enqueue((one, other)[n % 2], "job") for n in range(count - 10))
            )
            ids = await waiting
            assert 0.5 < time.monotonic() - began < 4
        await ended(one, *ids)
        first, second = await asyncio.gather(*following)
    assert first == second
    assert [event.position for event in first] == list(range(1, 3 * count + 1))


async def test_a_slow_transaction_in_another_database_delays_nobody(
    postgres_database: str, postgres_databases: Databases
) -> None:
    elsewhere = postgres_databases.fresh()
    try:
        async with services(postgres_database, registry(), 2) as (one, other):
            with psycopg.connect(elsewhere) as slow:
                slow.execute("UPDATE log SET head_mark = head_mark")
                following = asyncio.create_task(follow(other, "", 60))
                began = time.monotonic()
                ids = await enqueue_many(one, "job", [None] * 20)
                await ended(other, *ids)
                events = await following
                assert time.monotonic() - began < 5
                slow.rollback()
        assert [event.position for event in events] == list(range(1, 61))
    finally:
        postgres_databases.release(elsewhere)


async def test_a_process_that_freezes_in_the_midst_of_a_write_holds_the_others_up_for_seconds(
    postgres_crew: Crew, proxy: Proxy, notes: Notes
) -> None:
    crew = postgres_crew
    crew.sets(WORKFLOW_LEASE="10s")
    crew.worker()
    victim = crew.worker(WORKFLOW_DATABASE=proxy.url(crew.database))
    crew.ready()
    async with observing(crew, authored) as observer:
        frozen: list[float] = []

        def freeze() -> None:
            victim.freeze()
            frozen.append(time.monotonic())

        proxy.cut_before(then(CHOOSE, freeze))
        ids: list[str] = []
        params = {"file": notes.file, "seconds": 0.02}
        async with asyncio.timeout(20):
            while not frozen:
                ids.append(await enqueue(observer, "job", params, queue="one"))
                await asyncio.sleep(0.02)
        late = await enqueue(observer, "job", params, queue="one")
        left = len(ids) - notes.count(ENDED)
        await ended(observer, late)
        assert time.monotonic() - frozen[0] < 10 + 0.2 * left
        begun = [*frozen, *(at for at in notes.at(BEGAN) if at > frozen[0])]
        assert max(later - earlier for earlier, later in pairwise(begun)) > 1  # it was held up
        victim.thaw()
        known = sum(each.process == victim.process.pid for each in notes.all())
        async with asyncio.timeout(20):
            while sum(each.process == victim.process.pid for each in notes.all()) == known:
                ids.append(await enqueue(observer, "job", params, queue="one"))
                await asyncio.sleep(0.02)
        await ended(observer, *ids)
    assert set(notes.runs().values()) == {1}


async def test_a_reader_sees_what_any_server_did_and_goes_on_at_another(
    postgres_database: str,
) -> None:
    async with (
        asyncio.timeout(60),
        site(postgres_database, registry()) as here,
        site(postgres_database, registry()) as there,
    ):
        seen: list[str] = []
        after = ""
        for turn in range(6):
            asked, read = (here, there) if turn % 2 else (there, here)
            reading = asyncio.create_task(collected(read, after, 15 * (turn + 1)))
            for page in (here, there, asked, read, asked):
                await ended(page.service, await enqueue(page.service, "job"))
            seen += await reading
            after = seen[-1]
        assert [position(each) for each in seen] == list(range(1, 91))
        log: Sequence[Event] = await follow(here.service, "", 90)
        assert seen == [there.service.events.cursor_of(event) for event in log]


class Wrong(SystemClock):
    """A machine's clock that is off by so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._off = round(seconds * SECOND)

    def now(self) -> Instant:
        """Return what that machine believes."""
        return super().now() + self._off


@pytest.mark.parametrize("off", [600.0, -600.0])
async def test_a_worker_whose_clock_is_wrong_steals_nothing_and_delays_nothing(
    postgres_database: str, notes: Notes, off: float
) -> None:
    workflows = Workflows()

    @workflows.workflow
    async def long(ctx: Context[None], params: None) -> None:
        note(notes.file, BEGAN, tag="long", instance=ctx.instance_id)
        await asyncio.sleep(2.5)

    @workflows.workflow(retry=Retry(2, backoff="fixed", base=timedelta(seconds=1), jitter=0))
    async def flaky(ctx: Context[None], params: None) -> None:
        note(notes.file, BEGAN, tag="flaky", instance=ctx.instance_id, attempt=ctx.attempt)
        if ctx.attempt == 1:
            raise ConnectionError("not now")

    async with (
        services(postgres_database, workflows, lease="1s", slots=4) as (right,),
        services(postgres_database, workflows, lease="1s", slots=4, clock=Wrong(off)) as (wrong,),
    ):
        longs = await enqueue_many(right, "long", [None] * 6)
        flakies = [await enqueue(each, "flaky") for each in (right, wrong) for _ in range(5)]
        await ended(right, *longs, *flakies)
        for instance_id in longs:
            assert EventType.RECLAIMED not in await types(right, instance_id)
        for instance_id in flakies:
            events = {
                (event.type, event.attempt): event.at for event in await history(right, instance_id)
            }
            waited = events[EventType.STARTED, 2] - events[EventType.RETRYING, 1]
            assert SECOND <= waited < 4 * SECOND
        head = (await right.store.events.head()).position
        ats = [event.at for event in await follow(right, "", head)]
        assert all(earlier <= later + SECOND for earlier, later in pairwise(ats))
        assert abs(ats[-1] - SystemClock().now()) < 60 * SECOND
    assert set(notes.runs().values()) == {1, 2}
    assert all(notes.runs()[each] == 1 for each in longs)
