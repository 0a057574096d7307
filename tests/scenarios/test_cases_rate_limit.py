"""A queue's rate holds over all workers, counts every claim, and costs nothing while it waits."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise

import pytest

from service import Context, Rate, Retry, Workflows
from service.bootstrap import Service
from service.domain.clock import SECOND, Instant
from service.domain.events import EventType
from tests.clock import FakeClock
from tests.scale import scaled
from tests.scenarios.counting import count_from_here
from tests.scenarios.inside import ended, enqueue_many, history, services
from tests.scenarios.notes import BEGAN, Notes, note


async def claims_of(service: Service, ids: Sequence[str]) -> list[Instant]:
    """Return when each claim was made: what a handler notes comes a little later."""
    events = [event for each in ids for event in await history(service, each)]
    return sorted(event.at for event in events if event.type is EventType.STARTED)


async def test_bug_099_starts_follow_the_limit_and_every_claim_counts(
    database: str, clock: FakeClock, notes: Notes
) -> None:
    # A full bucket and what flows in: at most 10 + t claims in any t seconds, retries among them.
    workflows = Workflows()
    workflows.queue("limited", rate=Rate(10, per=timedelta(seconds=10)))

    @workflows.workflow(queue="limited", retry=Retry(max_attempts=2, base=timedelta(seconds=1)))
    async def job(ctx: Context[None], number: int) -> None:
        note(notes.file, BEGAN)
        if number < 10 and ctx.attempt == 1:
            raise ConnectionError("once more")
        await clock.sleep(scaled(5, 30))

    async with services(database, workflows, 2, clock=clock, lease="1h", poll="0.5s") as (one, _):
        ids = await enqueue_many(one, "job", range(40))
        await clock.advance_until(lambda: notes.count(BEGAN) == 50)
        await clock.advance(scaled(6, 31))
        await ended(one, *ids)
        starts = await claims_of(one, ids)
    assert len(starts) == notes.count(BEGAN) == 50
    for first in range(50):
        for last in range(first, 50):
            assert last - first + 1 <= 10 + (starts[last] - starts[first]) / SECOND


async def test_bug_101_tokens_come_one_by_one_to_five_workers(database: str, notes: Notes) -> None:
    apart = scaled(timedelta(milliseconds=50), timedelta(seconds=2))
    workflows = Workflows()
    workflows.queue("limited", rate=Rate(1, per=apart))

    @workflows.workflow(queue="limited")
    async def job(ctx: Context[None], params: None) -> None:
        note(notes.file, BEGAN, instance=ctx.instance_id)

    async with services(database, workflows, 5) as workers:
        ids = await enqueue_many(workers[0], "job", [None] * 20)
        await ended(workers[0], *ids)
        claims = await claims_of(workers[0], ids)
    assert set(notes.runs().values()) == {1}
    assert len(claims) == len(notes.runs()) == 20
    least = apart / timedelta(microseconds=1)
    gaps = [later - earlier for earlier, later in pairwise(claims)]
    assert min(gaps) >= least
    assert sum(gaps) < 10 * least * len(gaps)


async def test_bug_101_five_workers_that_wait_for_a_token_are_at_rest(
    database: str, notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    workflows = Workflows()
    workflows.queue("limited", rate=Rate(1, per=timedelta(hours=1)))

    @workflows.workflow(queue="limited")
    async def job(ctx: Context[None], params: None) -> None:
        note(notes.file, BEGAN)

    tally = count_from_here(monkeypatch)
    async with services(database, workflows, 5, tick="1s") as workers:
        first, _ = await enqueue_many(workers[0], "job", [None] * 2)
        await ended(workers[0], first)
        await asyncio.sleep(0.2)
        before = tally.all
        await asyncio.sleep(1)
        asked = tally.all - before
        (queue,) = await workers[0].queues.list()
        assert queue.pending == 1
    # Each of the five looks at the agenda and at the log once a second, and maybe claims.
    assert asked < 5 * 10
    assert notes.count(BEGAN) == 1
