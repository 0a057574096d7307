"""What stops an action, and what becomes of the instance then."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

import pytest

from service.domain.context import Context
from service.domain.instance import Status
from service.domain.outcome import End, Next
from service.domain.retry import Retry
from service.runtime.holding import Reason
from tests.clock import FakeClock
from tests.runtime.driving import Driven, enqueue, failures, find
from tests.services import Process
from tests.store.making import cancel

Drive = Callable[..., Driven]

MINUTE = timedelta(minutes=1)


class Action:
    """An action that waits until it is stopped, and may swallow some cancellations."""

    def __init__(self, process: Process, *, swallow: int = 0, **given: object) -> None:
        self.started = 0
        self.swallowed = 0
        self.result = "done"

        @process.registry.workflow(name="job", **given)  # type: ignore[call-overload]
        async def job(ctx: Context[None], params: None) -> str:
            self.started += 1
            while self.swallowed < swallow:
                try:
                    await asyncio.sleep(3_600)
                except asyncio.CancelledError:
                    self.swallowed += 1
            if not swallow:
                await asyncio.sleep(3_600)
            return self.result


async def begun(process: Process, driven: Driven) -> str:
    instance_id = await enqueue(process, "job")
    await driven.tick()
    await asyncio.sleep(0)
    return instance_id


async def test_an_action_that_runs_too_long_is_stopped_and_fails(
    process: Process, drive: Drive, clock: FakeClock
) -> None:
    Action(process, timeout=MINUTE)
    driven = drive(process)
    instance_id = await begun(process, driven)
    await clock.advance(59)
    assert driven.runner.held()
    await clock.advance(1)
    await driven.settle()
    found = await find(process, instance_id)
    assert found.status is Status.FAILED
    [kept] = await failures(process, instance_id)
    assert kept.error_type == "ActionTimeout"
    assert "run ran longer than its timeout, 0:01:00" in kept.message
    assert clock.sleepers == 0


async def test_a_timeout_is_an_attempt_like_any_other(
    process: Process, drive: Drive, clock: FakeClock
) -> None:
    action = Action(process, timeout=MINUTE, retry=Retry(max_attempts=2, jitter=0))
    driven = drive(process)
    instance_id = await begun(process, driven)
    await clock.advance(60)
    await driven.settle()
    assert (await find(process, instance_id)).status is Status.PENDING
    await clock.advance(1)
    await driven.tick()
    await clock.advance(60)
    await driven.settle()
    assert (await find(process, instance_id)).status is Status.FAILED
    assert action.started == 2


async def test_an_action_that_ends_in_time_leaves_no_timer(
    process: Process, drive: Drive, clock: FakeClock
) -> None:
    @process.registry.workflow(timeout=MINUTE)
    async def job(ctx: Context[None], params: None) -> None:
        return None

    driven = drive(process)
    instance_id = await enqueue(process, "job")
    await driven.round()
    assert (await find(process, instance_id)).status is Status.COMPLETED
    await clock.advance(0)
    assert clock.sleepers == 0


async def test_each_action_has_its_own_time(
    process: Process, drive: Drive, clock: FakeClock
) -> None:
    job = process.registry.machine("job")

    @job.action(timeout=MINUTE)
    async def first(ctx: Context[None], params: None) -> Next:
        await clock.sleep(50)
        return second.next(None)

    @job.action(timeout=MINUTE)
    async def second(ctx: Context[None], params: None) -> End[None]:
        await clock.sleep(50)
        return End(None)

    driven = drive(process)
    instance_id = await begun(process, driven)
    await clock.advance_until(lambda: not driven.runner.held(), step=1, limit=110)
    assert (await find(process, instance_id)).status is Status.COMPLETED


async def test_code_that_swallows_its_timeout_is_stopped_again_and_fails_whatever_it_returns(
    process: Process, drive: Drive, clock: FakeClock
) -> None:
    action = Action(process, swallow=3, timeout=MINUTE)
    driven = drive(process)
    instance_id = await begun(process, driven)
    await clock.advance(60)
    assert action.swallowed == 1
    await clock.advance(2)
    await driven.settle()
    assert action.swallowed == 3
    found = await find(process, instance_id)
    assert (found.status, found.output) == (Status.FAILED, None)


async def test_a_cancel_stops_the_action(process: Process, drive: Drive) -> None:
    action = Action(process, retry=Retry(max_attempts=5))
    driven = drive(process)
    instance_id = await begun(process, driven)
    await process.workflows.cancel(instance_id)
    await driven.settle()
    assert (await find(process, instance_id)).status is Status.CANCELLED
    assert action.started == 1
    assert await failures(process, instance_id) == []


@pytest.mark.parametrize("error", [ValueError("mine"), SystemExit(3), None])
async def test_whatever_a_cancelled_action_comes_to_the_instance_is_cancelled(
    process: Process, drive: Drive, error: BaseException | None
) -> None:
    @process.registry.workflow(retry=Retry(max_attempts=5))
    async def job(ctx: Context[None], params: None) -> str:
        try:
            await asyncio.sleep(3_600)
        except asyncio.CancelledError:
            if error is not None:
                raise error from None
        return "done"

    @process.registry.workflow
    async def fine(ctx: Context[None], params: None) -> None:
        return None

    driven = drive(process)
    instance_id = await begun(process, driven)
    await process.workflows.cancel(instance_id)
    await driven.settle()
    found = await find(process, instance_id)
    assert (found.status, found.output) == (Status.CANCELLED, None)
    next_id = await enqueue(process, "fine")
    await driven.round()
    assert (await find(process, next_id)).status is Status.COMPLETED


async def test_code_that_swallows_its_cancel_is_stopped_again(
    process: Process, drive: Drive
) -> None:
    action = Action(process, swallow=3)
    driven = drive(process)
    instance_id = await begun(process, driven)
    await process.workflows.cancel(instance_id)
    for _ in range(3):
        await asyncio.sleep(0)
        driven.runner.insist()
    await driven.settle()
    assert action.swallowed == 3
    assert (await find(process, instance_id)).status is Status.CANCELLED


async def test_an_action_that_ended_before_the_cancel_was_delivered_has_completed(
    process: Process, drive: Drive, clock: FakeClock
) -> None:
    @process.registry.workflow
    async def job(ctx: Context[None], params: None) -> str:
        await cancel(process, ctx.instance_id)
        return "done"

    driven = drive(process)
    driven._deafen()
    instance_id = await enqueue(process, "job")
    await driven.round()
    found = await find(process, instance_id)
    assert (found.status, found.output, found.cancel_requested) == (
        Status.COMPLETED,
        '"done"',
        True,
    )


async def test_no_action_follows_once_a_cancel_was_requested(
    process: Process, drive: Drive
) -> None:
    job = process.registry.machine("job")
    reached: list[str] = []

    @job.action
    async def first(ctx: Context[None], params: None) -> Next:
        await cancel(process, ctx.instance_id)
        return second.next(None)

    @job.action
    async def second(ctx: Context[None], params: None) -> End[None]:
        reached.append("second")
        return End(None)

    driven = drive(process)
    driven._deafen()
    instance_id = await enqueue(process, "job")
    await driven.round()
    assert (await find(process, instance_id)).status is Status.CANCELLED
    assert reached == []


async def test_an_action_whose_lease_was_lost_is_stopped_and_writes_nothing(
    process: Process, drive: Drive
) -> None:
    Action(process)
    driven = drive(process)
    instance_id = await begun(process, driven)
    told = len(process.fed)
    driven.runner.interrupt(instance_id, Reason.LOST, fence=99)
    await asyncio.sleep(0)
    assert driven.runner.held()
    driven.runner.interrupt(instance_id, Reason.LOST, fence=1)
    await driven.settle()
    assert (await find(process, instance_id)).status is Status.RUNNING
    assert len(process.fed) == told


async def test_an_error_not_to_be_retried_fails_at_once(process: Process, drive: Drive) -> None:
    @process.registry.workflow(retry=Retry(max_attempts=5, not_on=(KeyError,)))
    async def job(ctx: Context[None], params: None) -> None:
        raise KeyError("gone")

    driven = drive(process)
    instance_id = await enqueue(process, "job")
    await driven.round()
    found = await find(process, instance_id)
    assert (found.status, found.attempts) == (Status.FAILED, 1)
