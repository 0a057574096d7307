"""What has ended long ago costs those that live nothing, and goes without leaving a trace."""

import asyncio
import time
from collections.abc import Callable
from datetime import timedelta
from statistics import quantiles

from service import Context, Retry, Workflows
from service.domain.events import EventType
from service.domain.instance import Status
from service.domain.listing import InstanceFilter
from service.operations.page import Window
from service.operations.workflows import EnqueueRequest
from service.store.claims import Claim
from service.store.statements import load
from tests.clock import FakeClock
from tests.scale import scaled
from tests.scenarios.inside import ended, enqueue, enqueue_many, services, told
from tests.scenarios.past import fill_with_finished
from tests.scenarios.raw import is_sqlite, rows
from tests.services import until

HOT = (
    "ready_lanes",
    "ready_in_lane",
    "count_running",
    "claim",
    "expired",
    "promote",
    "upkeep",
    "ready_depths",
    "later_depths",
    "blocked_depths",
    "running_depths",
)
"""The statements that look for live rows, again and again."""

READ = """
SELECT (SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 'instances')
       + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'instances')
"""
ORPHANS = """
SELECT (SELECT count(*) FROM failures WHERE instance_id NOT IN (SELECT id FROM instances)),
       (SELECT count(*) FROM hooks WHERE instance_id NOT IN (SELECT id FROM instances)),
       (SELECT count(*) FROM requests),
       (SELECT count(*) FROM events WHERE position <= (SELECT pruned FROM log))
"""
NONE = (0, 0, 0, 0)
UNDER_WAY = """
SELECT 1 FROM instances WHERE queue = 'work' AND input <> '"runs"' AND (status = 'RUNNING' OR ready)
"""


def ids(database: str) -> set[str]:
    """Return the ids of all that is there."""
    return {row[0] for row in rows(database, "SELECT id FROM instances")}


async def test_bug_165_much_that_has_ended_slows_nothing_down(database: str) -> None:
    workflows = Workflows()

    @workflows.workflow
    async def noop(ctx: Context[None], params: None) -> None: ...

    past = scaled(20_000, 1_000_000)
    await fill_with_finished(database, past)
    before = rows_read(database)
    async with services(database, workflows, worker=False) as (service,):
        await enqueue_many(service, "noop", [None] * 100)
        claim = Claim(worker="w", names=frozenset(["noop"]), limit=1, lease=60_000_000)
        took: list[float] = []
        for _ in range(100):
            began = time.perf_counter()
            assert len((await service.store.write(claim)).claimed) == 1
            took.append(time.perf_counter() - began)
        assert quantiles(took, n=20)[-1] < 10 * 0.05
        began = time.perf_counter()
        (queue,) = await service.queues.list()
        for status in Status:
            await service.workflows.list(InstanceFilter(statuses=[status]), Window(first=50))
        assert time.perf_counter() - began < 10 * 0.3
        assert (queue.pending, queue.running) == (0, 100)
    if is_sqlite(database):
        check_plans(database)
    else:
        assert 100 < rows_read(database) - before < past  # not once all that has ended


async def pass_slowly(clock: FakeClock, reached: Callable[[], object]) -> None:
    """Let time pass, twice as fast as it does: a tick that was under way plans by what it saw."""
    async with asyncio.timeout(120):
        while not reached():
            await clock.advance(0.02)
            await asyncio.sleep(0.01)


def rows_read(database: str) -> int:
    """Return how many rows of instances PostgreSQL has read, in the table or its indexes."""
    return 0 if is_sqlite(database) else rows(database, READ)[0][0]


def check_plans(database: str) -> None:
    """Find that no statement looks for live rows all over the table of an SQLite file."""
    statements = load("service.store.sqlite")
    for name in HOT:
        params = ["x"] * max(
            number for number in range(10) if f"?{number}" in f"?0{statements[name]}"
        )
        plan = rows(database, f"EXPLAIN QUERY PLAN {statements[name]}", *params)
        scans = [row[3] for row in plan if row[3].startswith("SCAN") and "instances" in row[3]]
        assert [scan for scan in scans if "INDEX" not in scan] == [], name


async def test_bug_167_pruning_takes_all_that_belongs_to_what_has_ended_and_nothing_that_lives(
    database: str,
    clock: FakeClock,
) -> None:
    # Steps, signals and children are left for when there are any.
    count = scaled(100, 2_500)
    workflows = Workflows()
    workflows.queue("later")
    hooked: list[str] = []
    release = asyncio.Event()

    async def note_end(ended: object) -> None:
        hooked.append(str(ended))

    @workflows.workflow(
        retry=Retry(max_attempts=2, backoff="fixed", base=timedelta(seconds=1)),
        on_terminal=note_end,
    )
    async def work(ctx: Context[None], what: str) -> None:
        if what == "fails":
            raise ValueError("bad")
        if what == "runs":
            await release.wait()

    async with services(
        database, workflows, clock=clock, lease="30d", retention="10m", poll="1h", tick="1m"
    ) as (service,):
        gone = await enqueue_many(service, "work", ["works", "fails"] * count)
        gone.append(
            await enqueue(service, "work", "works", idempotency_key="k", request_id="asked")
        )
        await service.queues.pause("later")
        kept = await enqueue_many(service, "work", ["waits"] * count, queue="later")
        kept.append(await enqueue(service, "work", "runs"))
        await told(service, kept[-1], EventType.STARTED)
        # Nothing grows old in between: the clock moves only while nothing is under way.
        await until(lambda: not rows(database, UNDER_WAY), 120)
        await clock.advance(2)
        await pass_slowly(clock, lambda: len(hooked) == len(gone))
        await until(lambda: not rows(database, "SELECT 1 FROM hooks"), 120)
        await clock.advance(300)
        young = await enqueue_many(service, "work", ["works"] * 10)
        await ended(service, *young)
        await clock.advance(310)
        # From here on the clock nearly stands still, so that none of the young grows old.
        await clock.advance_until(lambda: ids(database) == {*kept, *young}, step=0.05, limit=250)
        await clock.advance_until(lambda: rows(database, ORPHANS) == [NONE], step=0.05, limit=250)
        again = await service.workflows.enqueue(
            EnqueueRequest(name="work", params="works", idempotency_key="k", request_id="asked")
        )
        assert again.created
        release.set()
        await service.queues.resume("later")
        for instance in await ended(service, *kept):
            assert instance.status is Status.COMPLETED
