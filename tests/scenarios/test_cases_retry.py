"""Retries by policy and by hand: as many as were asked for, and each once."""

import asyncio
from datetime import timedelta

import pytest

from service import Context, Retry, Workflows
from service.domain.clock import micros
from service.domain.errors import InvalidState, NotFound
from service.domain.events import EventType
from service.domain.instance import Status
from tests.clock import FakeClock
from tests.scenarios.inside import ended, enqueue, history, services, told, types
from tests.scenarios.notes import BEGAN, Notes, note
from tests.scenarios.raw import alter, rows
from tests.scenarios.supervised import Survived
from tests.services import until


def test_bug_193_failures_timeouts_and_crashes_come_to_an_end(survived: Survived) -> None:
    # A lost worker is counted apart from attempts, so that a crash is survived by default: three
    # attempts failed, and the crash made it four starts.
    mixed = survived.mixed
    assert survived.notes.words("mixed") == [BEGAN] * 4
    assert mixed.status is Status.FAILED
    assert (mixed.attempts, mixed.max_attempts) == (3, 3)
    assert [(each.attempt, each.error_type) for each in survived.failures] == [
        (1, "ConnectionError"),
        (2, "ActionTimeout"),
        (3, "ConnectionError"),
    ]
    assert mixed.last_error == "ConnectionError: not this time"
    started, retried = EventType.STARTED, EventType.RETRYING
    assert survived.mixed_events == [
        EventType.ENQUEUED,
        *(started, retried, started, EventType.RECLAIMED),
        *(started, retried, started, EventType.FAILED),
    ]


async def test_bug_195_only_a_bad_end_can_be_retried_and_a_double_click_runs_once(
    database: str, notes: Notes
) -> None:
    # A CANCELLED one can be retried too, by the lifecycle.
    workflows = Workflows()
    workflows.queue("lane")
    release = asyncio.Event()

    @workflows.workflow
    async def run(ctx: Context[None], tag: str) -> None:
        note(notes.file, BEGAN, tag=tag, instance=ctx.instance_id)
        if tag == "fails" and notes.count(BEGAN, tag) == 1:
            raise ValueError("bad")
        if tag != "works":
            await release.wait()

    async with services(database, workflows, 2) as (one, other):
        await one.queues.pause("lane")
        refused = {
            await enqueue(one, "run", "works"): Status.COMPLETED,
            await enqueue(one, "run", "runs"): Status.RUNNING,
            await enqueue(one, "run", "waits", queue="lane"): Status.PENDING,
        }
        completed, running, _ = refused
        await ended(one, completed)
        await told(one, running, EventType.STARTED)
        for instance_id, status in refused.items():
            before = await history(one, instance_id)
            with pytest.raises(InvalidState, match=status):
                await one.workflows.retry(instance_id)
            assert await history(one, instance_id) == before
        with pytest.raises(NotFound, match="nobody"):
            await one.workflows.retry("nobody")

        failed = await enqueue(one, "run", "fails")
        await ended(one, failed)
        clicks = [each.workflows.retry(failed) for each in (one, other)]
        answers = await asyncio.gather(*clicks, return_exceptions=True)
        assert [isinstance(each, InvalidState) for each in answers].count(True) == 1
        await one.workflows.cancel(running)
        await ended(one, running)
        await one.workflows.retry(running)
        await until(lambda: notes.count(BEGAN, "runs") == notes.count(BEGAN, "fails") == 2)
        release.set()
        for instance in await ended(one, failed, running):
            assert instance.status is Status.COMPLETED
            assert (await types(one, instance.id)).count(EventType.REQUEUED) == 1
    assert (notes.runs()[failed], notes.runs()[running]) == (2, 2)


@pytest.mark.parametrize("attempts", [47, 1024, 5000])
async def test_bug_197_a_delay_is_above_zero_and_below_its_cap_however_often_it_failed(
    database: str, clock: FakeClock, notes: Notes, attempts: int
) -> None:
    cap = timedelta(minutes=5)
    workflows = Workflows()

    @workflows.workflow(retry=Retry(max_attempts=10_000, cap=cap))
    async def run(ctx: Context[None], params: None) -> None:
        note(notes.file, BEGAN, attempt=ctx.attempt)
        raise ValueError("once more")

    async with services(database, workflows, clock=clock) as (service,):
        instance_id = await enqueue(service, "run")
        await told(service, instance_id, EventType.RETRYING)
        alter(database, "UPDATE instances SET attempts = ?", attempts)
        await clock.advance_until(lambda: notes.count(BEGAN) == 2)
        before = clock.now()
        async with asyncio.timeout(60):
            while not (await service.store.agenda()).next_due:
                await asyncio.sleep(0.005)
        ((count, due),) = rows(database, "SELECT attempts, run_after FROM instances")
        assert count == attempts + 1
        assert 0 < due - before <= micros(cap)
    assert [each.attempt for each in notes.all()] == [1, attempts + 1]
