import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from service.domain.clock import SECOND
from service.domain.context import Context
from service.domain.errors import Unavailable
from service.domain.instance import Status
from service.domain.outcome import End, Next
from service.domain.retry import Retry
from service.store.moves import Progress, Settle
from service.store.upkeep import Reclaim
from tests.clock import FakeClock
from tests.runtime.driving import Driven, enqueue, failures, find
from tests.services import Process, until
from tests.store.making import claim, facts

Drive = Callable[..., Driven]


@dataclass
class Count:
    n: int = 0


class Machine:
    """A workflow of three actions, each of which adds to the state."""

    def __init__(self, process: Process) -> None:
        self.seen: list[tuple[str, int, str, int]] = []
        machine = process.registry.machine("job", input=str, state=Count, output=int)

        @machine.action
        async def first(ctx: Context[Count], params: str) -> Next:
            self._note(ctx, params)
            return second.next(params + "!")

        @machine.action
        async def second(ctx: Context[Count], params: str) -> Next:
            self._note(ctx, params)
            return third.next(params + "!")

        @machine.action(retry=Retry(max_attempts=2, jitter=0))
        async def third(ctx: Context[Count], params: str) -> End[int]:
            self._note(ctx, params)
            if params == "fail!!" and ctx.attempt == 1:
                raise ValueError("once")
            return End(ctx.state.n)

    def _note(self, ctx: Context[Count], params: str) -> None:
        ctx.state.n += 1
        self.seen.append((ctx.action, ctx.attempt, params, ctx.state.n))


async def test_it_goes_from_action_to_action_under_one_lease(
    process: Process, drive: Drive
) -> None:
    machine = Machine(process)
    driven = drive(process)
    instance_id = await enqueue(process, "job", "go")
    await driven.round()
    assert machine.seen == [
        ("first", 1, "go", 1),
        ("second", 1, "go!", 2),
        ("third", 1, "go!!", 3),
    ]
    assert process.told() == ["ENQUEUED", "STARTED", "CHECKPOINT", "CHECKPOINT", "COMPLETED"]
    assert (await find(process, instance_id)).output == "3"
    assert await facts(process, instance_id, "fence", "visit") == (1, 3)


async def test_a_retry_starts_again_from_the_checkpoint(
    process: Process, drive: Drive, clock: FakeClock
) -> None:
    machine = Machine(process)
    driven = drive(process)
    instance_id = await enqueue(process, "job", "fail")
    await driven.round()
    await clock.advance(1)
    await driven.round()
    assert machine.seen[2:] == [("third", 1, "fail!!", 3), ("third", 2, "fail!!", 3)]
    assert (await find(process, instance_id)).output == "3"


async def test_another_worker_goes_on_from_the_checkpoint(
    process: Process, other: Process, drive: Drive, clock: FakeClock
) -> None:
    machine, elsewhere = Machine(process), Machine(other)
    instance_id = await enqueue(process, "job", "go")
    [held] = await claim(process, names=frozenset({"job"}))
    driven = drive(process)
    move = driven.runner._performer._outcomes.returned(
        process.registry.get("job"), held, Count(1), Next("second", "go!")
    )
    await process.store.write(Progress(move))  # type: ignore[arg-type]
    await clock.advance(31)
    await process.store.write(Reclaim(limit=1))
    await drive(other).round()
    assert machine.seen == []
    assert elsewhere.seen == [("second", 1, "go!", 2), ("third", 1, "go!!", 3)]
    assert (await find(process, instance_id)).status is Status.COMPLETED


class Faulty:
    """Makes the next writes of workers fail."""

    def __init__(self, patched: pytest.MonkeyPatch, times: int, error: Exception) -> None:
        self.left = times
        for kind in (Progress, Settle):
            perform = kind.perform

            def fail(batch: Any, writes: Any, perform: Any = perform) -> Any:
                if self.left:
                    self.left -= 1
                    raise error
                return perform(batch, writes)

            patched.setattr(kind, "perform", fail)


@pytest.mark.parametrize("applied", [False, True])
async def test_an_outage_is_waited_out_and_nothing_is_run_twice(
    process: Process,
    drive: Drive,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    applied: bool,
) -> None:
    machine = Machine(process)
    driven = drive(process)
    instance_id = await enqueue(process, "job", "go")
    Faulty(monkeypatch, 5, Unavailable("The disk is full.", maybe_applied=applied))
    await driven.tick()
    await process.pass_until(lambda: not driven.runner.held(), limit=60)
    assert len(machine.seen) == 3
    assert (await find(process, instance_id)).status is Status.COMPLETED
    assert len(caplog.records) == 5
    assert {record.__dict__["instance"] for record in caplog.records} == {instance_id}


@pytest.mark.parametrize("kind", [Progress, Settle])
async def test_a_write_whose_answer_was_lost_is_no_loss(
    process: Process, drive: Drive, monkeypatch: pytest.MonkeyPatch, kind: type[Any]
) -> None:
    machine = Machine(process)
    driven = drive(process)
    instance_id = await enqueue(process, "job", "go")
    transaction = process.database.transaction
    lost: list[str] = []
    perform = kind.perform

    def noted(batch: Any, writes: Any) -> Any:
        lost.append("written")
        return perform(batch, writes)

    async def losing(work: Any) -> Any:
        before = len(lost)
        answer = await transaction(work)
        if len(lost) > before and "answer" not in lost:
            lost.append("answer")
            raise Unavailable("The disk that holds the database is too slow.")
        return answer

    monkeypatch.setattr(kind, "perform", noted)
    monkeypatch.setattr(process.database, "transaction", losing)
    await driven.tick()
    await process.pass_until(lambda: not driven.runner.held(), limit=60)
    assert [action for action, *_ in machine.seen] == ["first", "second", "third"]
    assert (await find(process, instance_id)).status is Status.COMPLETED
    told = [event.type for event in await process.store.events.of_instance(instance_id, 0, 9)]
    assert told == ["ENQUEUED", "STARTED", "CHECKPOINT", "CHECKPOINT", "COMPLETED"]


async def test_what_the_database_refuses_fails_the_instance_at_once(
    process: Process,
    drive: Drive,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    Machine(process)
    driven = drive(process)
    instance_id = await enqueue(process, "job", "go")
    Faulty(monkeypatch, 1, OverflowError("a number too large"))
    await driven.round()
    found = await find(process, instance_id)
    assert found.status is Status.FAILED
    [kept] = await failures(process, instance_id)
    assert kept.summary == "OverflowError: a number too large"
    told = [record for record in caplog.records if record.name == "service.runtime.runner"]
    assert [record.levelno for record in told] == [logging.ERROR]


async def test_what_the_database_refuses_even_then_is_left_to_its_lease(
    process: Process, drive: Drive, monkeypatch: pytest.MonkeyPatch, clock: FakeClock
) -> None:
    Machine(process)
    driven = drive(process, lease=30 * SECOND)
    instance_id = await enqueue(process, "job", "go")
    Faulty(monkeypatch, 2, OverflowError("a number too large"))
    await driven.round()
    assert (await find(process, instance_id)).status is Status.RUNNING
    await clock.advance(31)
    for _ in range(2):  # it is taken back in one round, and claimed in the next
        await driven.round()
    assert (await find(process, instance_id)).status is Status.COMPLETED


async def test_a_place_is_free_as_soon_as_only_the_end_is_to_be_written(
    process: Process, drive: Drive, monkeypatch: pytest.MonkeyPatch
) -> None:
    @process.registry.workflow
    async def quick(ctx: Context[None], params: None) -> None:
        return None

    driven = drive(process)
    await enqueue(process, "quick")
    Faulty(monkeypatch, 1, Unavailable("The disk is full.", maybe_applied=False))
    assert driven.runner.active == 0
    await driven.tick()
    assert driven.runner.active == 1
    await until(lambda: driven.runner.active == 0)
    assert driven.runner.held()
    await process.pass_until(lambda: not driven.runner.held(), limit=60)
    assert driven.runner.active == 0


async def test_one_that_is_claimed_here_again_stops_the_run_before(
    process: Process, drive: Drive
) -> None:
    stopped: list[int] = []

    @process.registry.workflow
    async def slow(ctx: Context[None], params: None) -> None:
        try:
            await asyncio.sleep(3_600)
        finally:
            stopped.append(1)

    driven = drive(process)
    await enqueue(process, "slow")
    await driven.tick()
    await process.calm()
    [held] = driven.runner.held()
    driven.runner.start([replace(held, fence=2)])
    await until(lambda: driven.runner.active == 1)
    assert stopped == [1]
    assert [each.fence for each in driven.runner.held()] == [2]


async def test_a_run_has_the_name_of_its_instance(process: Process, drive: Drive) -> None:
    names: list[str] = []

    @process.registry.workflow
    async def named(ctx: Context[None], params: None) -> None:
        task = asyncio.current_task()
        assert task is not None
        names.append(task.get_name())

    driven = drive(process)
    instance_id = await enqueue(process, "named")
    await driven.round()
    assert names == [f"named {instance_id}"]


async def test_draining_stops_code_that_goes_on_again_and_again(
    process: Process, drive: Drive
) -> None:
    swallowed: list[float] = []

    @process.registry.workflow
    async def stubborn(ctx: Context[None], params: None) -> None:
        while len(swallowed) < 3:
            try:
                await asyncio.sleep(3_600)
            except asyncio.CancelledError:
                swallowed.append(process.clock.monotonic())

    driven = drive(process)
    await enqueue(process, "stubborn")
    await driven.tick()
    await process.calm()
    draining = asyncio.create_task(driven.runner.drain(2))
    await process.pass_until(draining.done, limit=10)
    assert [round(time) for time in swallowed] == [2, 3, 4]
