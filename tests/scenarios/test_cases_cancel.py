"""A cancel at any moment: the answer, the state and the events agree, and nothing runs after it."""

import asyncio
import random
from collections import defaultdict
from dataclasses import replace
from datetime import timedelta

import pytest

from service import Context, End, Next, Retry, Workflows
from service.domain.events import TERMINAL, EventType
from service.domain.instance import CancelOutcome, Status
from tests.clock import FakeClock
from tests.scale import scaled
from tests.scenarios.inside import ended, enqueue, enqueue_many, services, told, types
from tests.scenarios.notes import BEGAN, ENDED, Notes, note
from tests.services import until


async def test_bug_023_a_cancel_at_the_very_end_agrees_with_the_end(
    database: str, notes: Notes
) -> None:
    workflows = Workflows()
    began: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)

    @workflows.workflow
    async def brief(ctx: Context[None], params: None) -> str:
        began[ctx.instance_id].set()
        await asyncio.sleep(0.02)
        note(notes.file, ENDED, instance=ctx.instance_id)
        return "done"

    async with services(database, workflows, 2) as (one, other):

        async def play(number: int) -> tuple[str, CancelOutcome]:
            instance_id = await enqueue(one, "brief")
            await began[instance_id].wait()
            await asyncio.sleep(0.02 + random.uniform(-0.005, 0.005))
            answer = await (one, other)[number % 2].workflows.cancel(instance_id)
            if answer.outcome is CancelOutcome.ALREADY_ENDED:
                assert answer.instance.status is Status.COMPLETED
            return instance_id, answer.outcome

        for _ in range(scaled(5, 50)):
            played = await asyncio.gather(*map(play, range(10)))
            ids = [instance_id for instance_id, _ in played]
            instances = await ended(one, *ids)
            finished = {each.instance for each in notes.all()}
            assert [each.status for each in await ended(other, *ids)] == [
                each.status for each in instances
            ]
            for instance, (_, outcome) in zip(instances, played, strict=True):
                happened = await types(one, instance.id)
                assert [each for each in happened if each in TERMINAL] == [instance.status]
                assert happened[-1] == instance.status
                assert (instance.status is Status.COMPLETED) == (instance.id in finished)
                if outcome is CancelOutcome.ALREADY_ENDED:
                    assert EventType.CANCEL_REQUESTED not in happened
                else:
                    assert outcome is CancelOutcome.REQUESTED


async def test_bug_025_a_loop_is_cancelled_within_one_action(database: str, notes: Notes) -> None:
    # Actions stand for the steps of the row: each ends in a checkpoint.
    workflows = Workflows()
    loop = workflows.machine("loop", output=int)

    @loop.action
    async def turn(ctx: Context[None], params: None) -> Next | End[int]:
        note(notes.file, BEGAN, instance=ctx.instance_id)
        await asyncio.sleep(random.uniform(0.005, 0.015))
        return turn.next(None)

    async with services(database, workflows, 2) as (one, other):

        async def play(number: int) -> None:
            instance_id = await enqueue(one, "loop")
            await until(lambda: notes.runs()[instance_id])
            await asyncio.sleep(random.uniform(0, 0.1))
            await (one, other)[number % 2].workflows.cancel(instance_id)
            before = notes.runs()[instance_id]
            (instance,) = await ended(one, instance_id)
            assert instance.status is Status.CANCELLED
            assert notes.runs()[instance_id] <= before + 1

        for _ in range(scaled(3, 30)):
            await asyncio.gather(*map(play, range(10)))


@pytest.mark.parametrize("answer", ["raises", "returns", "goes on"])
async def test_bug_027_an_action_that_swallows_the_cancel_is_cancelled_all_the_same(
    database: str, notes: Notes, answer: str
) -> None:
    workflows = Workflows()

    @workflows.workflow(retry=Retry(max_attempts=3, base=timedelta(milliseconds=1)))
    async def stubborn(ctx: Context[None], params: None) -> str:
        note(notes.file, BEGAN)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            if answer == "raises":
                raise ValueError("not me") from None
            if answer == "goes on":
                await asyncio.sleep(60)
        return "I go on"

    @workflows.workflow
    async def after(ctx: Context[None], params: None) -> str:
        return "next"

    async with services(database, workflows, slots=1) as (service,):
        instance_id = await enqueue(service, "stubborn")
        await until(lambda: notes.count(BEGAN) == 1)
        await service.workflows.cancel(instance_id)
        following = await enqueue(service, "after")
        cancelled, completed = await ended(service, instance_id, following)
        assert (cancelled.status, completed.status) == (Status.CANCELLED, Status.COMPLETED)
        assert notes.count(BEGAN) == 1
        assert EventType.RETRYING not in await types(service, instance_id)


async def test_bug_029_what_is_due_later_is_cancelled_at_once_and_never_runs(
    database: str, clock: FakeClock, notes: Notes
) -> None:
    # A handing over that is due later stands for the sleep of the row.
    workflows = Workflows()
    patient = workflows.machine("patient", output=str)

    @patient.action
    async def ask(ctx: Context[None], params: None) -> Next:
        return answer.next(None, after=timedelta(minutes=1))

    @patient.action
    async def answer(ctx: Context[None], params: None) -> End[str]:
        note(notes.file, BEGAN)
        return End("late")

    async with services(database, workflows, clock=clock, poll="1s") as (service,):
        instance_id = await enqueue(service, "patient")
        await told(service, instance_id, EventType.CHECKPOINT)
        answered = await service.workflows.cancel(instance_id)
        assert answered.outcome is CancelOutcome.CANCELLED
        assert answered.instance.status is Status.CANCELLED
        agenda = await service.store.agenda()
        assert (agenda.next_due, agenda.ready) == (None, False)
        await clock.advance(120)
        (instance,) = await ended(service, instance_id)
        assert instance == replace(answered.instance, cursor=instance.cursor)
        assert notes.all() == []


async def test_bug_033_a_timeout_and_a_cancellation_that_nobody_asked_for_are_failures(
    database: str,
) -> None:
    workflows = Workflows()

    @workflows.workflow(timeout=timedelta(seconds=scaled(0.1, 1)))
    async def slow(ctx: Context[None], params: None) -> None:
        await asyncio.sleep(60)

    @workflows.workflow
    async def gives_up(ctx: Context[None], params: None) -> None:
        raise asyncio.CancelledError("my own idea")

    async with services(database, workflows) as (service,):
        ids = [await enqueue(service, "slow"), await enqueue(service, "gives-up")]
        late, own = await ended(service, *ids)
        assert (late.status, own.status) == (Status.FAILED, Status.FAILED)
        assert late.last_error is not None
        assert late.last_error.startswith("ActionTimeout: run ran longer than its timeout")
        assert own.last_error == "CancelledError: my own idea"


async def test_bug_035_nothing_starts_after_it_was_cancelled(database: str, notes: Notes) -> None:
    workflows = Workflows()

    @workflows.workflow
    async def work(ctx: Context[None], params: None) -> None:
        note(notes.file, BEGAN, instance=ctx.instance_id)
        await asyncio.sleep(0.01)

    async with services(database, workflows, 4, slots=10) as workers:
        first = workers[0]
        await first.queues.pause("work")
        ids = await enqueue_many(first, "work", [None] * scaled(200, 1000))
        await first.queues.resume("work")
        answers = await asyncio.gather(*map(first.workflows.cancel, reversed(ids)))
        await ended(first, *ids)
        early = {each.instance.id for each in answers if each.outcome is CancelOutcome.CANCELLED}
        assert early
        for instance_id in ids:
            happened = await types(first, instance_id)
            assert happened[-1] in TERMINAL
            assert happened.count(EventType.STARTED) == (instance_id not in early)
        assert not early & set(notes.runs())
        assert set(notes.runs().values()) <= {1}
