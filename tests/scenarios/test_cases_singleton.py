"""Of the living instances of a singleton key one at most runs, and none stands in others' way."""

import asyncio
import logging
from contextlib import suppress
from datetime import timedelta

import pytest

from service import Context, Retry, Workflows
from service.domain.errors import SingletonConflict
from service.domain.events import EventType
from service.domain.instance import OnConflict, Status
from service.operations.workflows import EnqueueRequest
from tests.clock import FakeClock
from tests.postgres.proxy import Proxy
from tests.scenarios.inside import ended, enqueue, enqueue_many, services, told, types
from tests.scenarios.notes import BEGAN, ENDED, Notes, note, overlap
from tests.scenarios.raw import busy
from tests.scenarios.traps import SETTLE, commit_after
from tests.services import until


def request(name: str, on_conflict: OnConflict = OnConflict.RETURN) -> EnqueueRequest:
    return EnqueueRequest(name=name, singleton_key="k", on_conflict=on_conflict)


async def test_bug_044_two_of_one_key_never_run_at_once(database: str, notes: Notes) -> None:
    ready = asyncio.Event()
    workflows = Workflows()

    @workflows.workflow
    async def sync(ctx: Context[None], params: None) -> None:
        note(notes.file, BEGAN, instance=ctx.instance_id)
        try:
            await ready.wait()
        finally:
            with suppress(asyncio.CancelledError):  # it may be told more than once
                await asyncio.sleep(0.05)
            note(notes.file, ENDED, instance=ctx.instance_id)

    async with services(database, workflows, 3) as workers:
        enqueue_one = workers[0].workflows.enqueue
        running = await enqueue_one(request("sync"))
        await until(lambda: notes.count(BEGAN) == 1)
        asked = [workers[n % 3].workflows.enqueue(request("sync")) for n in range(10)]
        returned = await asyncio.gather(*asked)
        assert {each.instance.id for each in returned} == {running.instance.id}
        with pytest.raises(SingletonConflict, match="has not ended"):
            await enqueue_one(request("sync", OnConflict.REFUSE))
        asked = [
            workers[n % 3].workflows.enqueue(request("sync", OnConflict.REPLACE)) for n in range(10)
        ]
        replacing = [each.instance.id for each in await asyncio.gather(*asked)]
        assert len(set(replacing)) == 10
        ready.set()
        instances = await ended(workers[0], running.instance.id, *replacing)
        statuses = [each.status for each in instances]
        assert statuses.count(Status.COMPLETED) == 1
        assert statuses.count(Status.CANCELLED) == 10
        assert statuses[0] is Status.CANCELLED
    assert overlap(notes.all()) == 1


async def test_bug_046_a_key_that_waits_for_its_retry_holds_up_nobody_else(
    database: str, clock: FakeClock, notes: Notes, caplog: pytest.LogCaptureFixture
) -> None:
    workflows = Workflows()

    @workflows.workflow(retry=Retry(max_attempts=2, base=timedelta(seconds=10)))
    async def flaky(ctx: Context[None], params: None) -> str:
        note(notes.file, BEGAN, tag="flaky", instance=ctx.instance_id)
        if ctx.attempt == 1:
            raise ConnectionError("not now")
        return "done"

    @workflows.workflow
    async def other(ctx: Context[None], params: None) -> None:
        note(notes.file, BEGAN, tag="other", instance=ctx.instance_id)

    async with services(database, workflows, clock=clock) as (service,):
        first = await service.workflows.enqueue(request("flaky"))
        await told(service, first.instance.id, EventType.RETRYING)
        second = await service.workflows.enqueue(request("flaky"))
        assert (second.created, second.instance.id) == (False, first.instance.id)
        await ended(service, *await enqueue_many(service, "other", [None] * 50))
        await clock.advance_until(lambda: notes.count(BEGAN, "flaky") == 2)
        (instance,) = await ended(service, first.instance.id)
        assert instance.status is Status.COMPLETED

        third = await service.workflows.enqueue(request("flaky"))
        await told(service, third.instance.id, EventType.RETRYING)
        fourth = await service.workflows.enqueue(request("flaky", OnConflict.REPLACE))
        await clock.advance_until(lambda: notes.count(BEGAN, "flaky") == 5)
        replaced, replacement = await ended(service, third.instance.id, fourth.instance.id)
        assert (replaced.status, replacement.status) == (Status.CANCELLED, Status.COMPLETED)
    assert notes.count(BEGAN, "other") == 50
    flaky_ones = first.instance.id, third.instance.id, fourth.instance.id
    assert [notes.runs()[instance_id] for instance_id in flaky_ones] == [2, 1, 2]
    ours = [record for record in caplog.records if record.name != "workflow"]
    assert not [record for record in ours if record.levelno >= logging.WARNING]


@pytest.mark.parametrize("fate", ["returns", "raises"])
async def test_bug_048_a_database_that_is_busy_as_an_attempt_ends_costs_nothing(
    database: str, notes: Notes, fate: str
) -> None:
    # A file has no link to cut: somebody keeps it to himself for longer than a write waits.
    cut = asyncio.Event()
    workflows = Workflows()
    workflows.queue("serial", concurrency=1)

    @workflows.workflow(queue="serial")
    async def work(ctx: Context[None], tag: str) -> None:
        note(notes.file, BEGAN, tag=tag)
        if tag == "first":
            await cut.wait()
        note(notes.file, ENDED, tag=tag)
        if tag == "first" and fate == "raises":
            raise ValueError("bad")

    async with services(database, workflows, busy_timeout="0.1s") as (service,):
        first = await enqueue(service, "work", "first")
        second = await enqueue(service, "work", "second")
        await until(lambda: notes.words("first") == [BEGAN])
        with busy(database):
            cut.set()
            await until(lambda: notes.words("first") == [BEGAN, ENDED])
            await asyncio.sleep(0.5)
            assert notes.words("second") == []
        instances = await ended(service, first, second)
        assert [each.status for each in instances] == [
            Status.FAILED if fate == "raises" else Status.COMPLETED,
            Status.COMPLETED,
        ]
        assert EventType.RECLAIMED not in await types(service, first)
    assert notes.words("first") == notes.words("second") == [BEGAN, ENDED]


@pytest.mark.parametrize("fate", ["returns", "raises"])
@pytest.mark.parametrize("answered", [False, True])
async def test_bug_048_a_link_that_is_cut_as_an_attempt_ends_holds_up_nobody(
    postgres_database: str, proxy: Proxy, notes: Notes, fate: str, *, answered: bool
) -> None:
    cut = asyncio.Event()
    workflows = Workflows()
    workflows.queue("serial", concurrency=1)

    @workflows.workflow(queue="serial")
    async def work(ctx: Context[None], tag: str) -> None:
        note(notes.file, BEGAN, tag=tag)
        if tag == "first":
            await cut.wait()
        note(notes.file, ENDED, tag=tag)
        if tag == "first" and fate == "raises":
            raise ValueError("bad")

    async with services(proxy.url(postgres_database), workflows) as (service,):
        first = await enqueue(service, "work", "first")
        second = await enqueue(service, "work", "second")
        await until(lambda: notes.words("first") == [BEGAN])
        cutting = proxy.cut_after if answered else proxy.cut_before
        trap = cutting(commit_after(SETTLE))
        cut.set()
        assert await asyncio.to_thread(trap.wait)
        async with asyncio.timeout(10):  # half a lease
            instances = await ended(service, first, second)
        assert [each.status for each in instances] == [
            Status.FAILED if fate == "raises" else Status.COMPLETED,
            Status.COMPLETED,
        ]
        happened = await types(service, first)
        assert happened[1:] == [EventType.STARTED, instances[0].status]
    assert notes.words("first") == notes.words("second") == [BEGAN, ENDED]
