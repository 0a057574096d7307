"""Many queues or many workers: none goes on slower than if it were alone."""

import asyncio
from collections.abc import Generator
from statistics import quantiles
from time import perf_counter

import pytest

from service import Context, Workflows
from service.bootstrap import Service
from service.domain.events import EventType
from service.domain.transitions import complete
from service.runtime.clock import SystemClock
from service.store.claims import Claim
from service.store.moves import Settle
from service.store.opening import open_database
from service.store.store import Store
from tests.postgres.clusters import Clusters
from tests.scale import scaled
from tests.scenarios.counting import Tally, count_from_here
from tests.scenarios.inside import ended, enqueue, enqueue_many, history, services
from tests.scenarios.notes import BEGAN, Notes, note
from tests.scenarios.raw import rows

WORKERS = 50
DEADLOCKS = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"


@pytest.fixture
def roomy(clusters: Clusters) -> Generator[str]:
    """The URL of a database on a cluster that takes as many links as fifty workers have."""
    with clusters.one({"max_connections": "400"}) as cluster:
        yield cluster.url()


def registry() -> Workflows:
    workflows = Workflows()

    @workflows.workflow
    async def job(ctx: Context[None], params: None) -> None: ...

    return workflows


async def test_bug_203_one_full_queue_of_a_hundred_holds_up_none_of_the_others(
    database: str, notes: Notes
) -> None:
    workflows = Workflows()
    for number in range(100):
        workflows.queue(f"lane-{number}", concurrency=5)

    @workflows.workflow
    async def job(ctx: Context[None], tag: str) -> None:
        note(notes.file, BEGAN, tag=tag)
        await asyncio.sleep(0.05 if tag == "full" else 0)

    async with services(database, workflows, 2, slots=20) as (one, _):
        await enqueue_many(one, "job", ["full"] * scaled(2_000, 50_000), queue="lane-0")
        ids = [
            await enqueue(one, "job", f"small-{number}", queue=f"lane-{number}")
            for number in range(1, 100)
        ]
        await ended(one, *ids)
        left = next(each for each in await one.queues.list() if each.name == "lane-0")
        assert left.pending > 0
        for instance_id in ids:
            asked, began, *_ = await history(one, instance_id)
            assert (asked.type, began.type) == (EventType.ENQUEUED, EventType.STARTED)
            # Between the two: others' events, no more than some rounds of claims for all places.
            assert began.position - asked.position < 10 * 3 * 40


async def cost_of_one(workers: list[Service], turn: int, tally: Tally) -> int:
    """Return how many transactions one enqueue takes, among all workers, until it is quiet."""
    before = tally.transactions
    await ended(workers[0], await enqueue(workers[turn % WORKERS], "job"))
    seen = 0
    while tally.transactions > seen:
        seen = tally.transactions
        await asyncio.sleep(0.15)  # more than the longest pause before a claim
    return tally.transactions - before


async def test_bug_201_one_job_costs_no_write_for_each_worker_that_hears_of_it(
    roomy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # At first all reach for it; who comes too late leaves the next one to others.
    tally = count_from_here(monkeypatch)
    async with services(roomy, registry(), WORKERS, tick="60s", heartbeat="9s") as workers:
        costs = [await cost_of_one([*workers], turn, tally) for turn in range(14)]
    # How far they adapt is chance, and the machine's pace; test_patience.py has the rule.
    assert max(costs) <= 2 * WORKERS, costs
    assert min(costs[5:]) <= WORKERS / 2, costs
    assert rows(roomy, DEADLOCKS) == [(0,)]


async def test_bug_201_fifty_workers_claim_thousands_each_once_and_without_a_deadlock(
    roomy: str,
) -> None:
    count = scaled(2_000, 5_000)
    claimed: list[str] = []
    took: list[float] = []

    async def work(number: int) -> None:
        database = await open_database(roomy, busy_timeout=10, clock=SystemClock())
        store = Store(database, feed=lambda _: None)
        claim = Claim(worker=f"w{number}", names=frozenset(["job"]), limit=10, lease=60_000_000)
        while True:
            began = perf_counter()
            held = (await store.write(claim)).claimed
            took.append(perf_counter() - began)
            if not held:
                break
            claimed.extend(each.id for each in held)
            ends = (Settle(complete(each, "1")) for each in held)
            await asyncio.gather(*map(store.write, ends))
        await store.close()

    async with services(roomy, registry(), worker=False) as (service,):
        ids = await enqueue_many(service, "job", [None] * count)
        await asyncio.gather(*map(work, range(WORKERS)))
    assert sorted(claimed) == sorted(ids)
    # Fifty at once on two cores, each behind the log's lock: twenty times what one would take.
    assert quantiles(took, n=20)[-1] < 20 * 0.1
    assert rows(roomy, DEADLOCKS) == [(0,)]
