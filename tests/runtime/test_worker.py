"""Starting, draining and giving back."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import pytest

from service.domain.clock import SECOND
from service.domain.context import Context
from service.domain.instance import Status
from service.domain.outcome import End, Next
from service.runtime.worker import Worker
from service.store.batch import Batch
from service.store.claims import Claim, Claims
from tests.clock import FakeClock
from tests.runtime.driving import Driven, enqueue, find, worker_of
from tests.services import Process, until
from tests.store.making import cancel, claim, facts

Drive = Callable[..., Driven]


class Noted:
    """Workflows that take `params` seconds of the clock, and what became of their runs."""

    def __init__(self, process: Process) -> None:
        self.begun: list[str] = []
        self.ended: list[str] = []
        self.stopped: list[str] = []
        clock = process.clock

        @process.registry.workflow
        async def job(ctx: Context[None], params: float) -> None:
            await self._work(ctx, params)

        machine = process.registry.machine("machine", input=float)

        @machine.action
        async def first(ctx: Context[None], params: float) -> Next:
            await self._work(ctx, params)
            return second.next(None)

        @machine.action
        async def second(ctx: Context[None], params: None) -> End[None]:
            await self._work(ctx, 0)
            return End(None)

        self._clock = clock

    async def _work(self, ctx: Context[None], seconds: float) -> None:
        self.begun.append(ctx.action)
        try:
            await self._clock.sleep(seconds)
        except asyncio.CancelledError:
            self.stopped.append(ctx.action)
            raise
        self.ended.append(ctx.action)


@pytest.fixture
def noted(process: Process) -> Noted:
    return Noted(process)


@asynccontextmanager
async def started(process: Process, **policy: object) -> AsyncGenerator[Worker]:
    worker = worker_of(process, **policy)
    worker.start()
    try:
        yield worker
    finally:
        await worker.stop()


async def drained(process: Process, worker: Worker, grace: float) -> float:
    """Drain the worker, and return how long that took on the clock."""
    begun = process.clock.monotonic()
    draining = asyncio.create_task(worker.drain(grace))
    await process.pass_until(draining.done)
    return process.clock.monotonic() - begun


async def test_what_runs_may_end_within_the_grace(process: Process, noted: Noted) -> None:
    async with started(process) as worker:
        instance_id = await enqueue(process, "job", 3.0)
        await until(lambda: noted.begun)
        assert 2.9 <= await drained(process, worker, 10) <= 3.2
    assert (await find(process, instance_id)).status is Status.COMPLETED


async def test_the_next_action_is_handed_back(process: Process, noted: Noted) -> None:
    async with started(process) as worker:
        instance_id = await enqueue(process, "machine", 3.0)
        await until(lambda: noted.begun)
        await drained(process, worker, 10)
    assert noted.begun == ["first"]
    assert process.told(instance_id)[-1] == "CHECKPOINT"
    assert await facts(process, instance_id, "status", "ready", "visit", "losses", "worker") == (
        "PENDING",
        1,
        2,
        0,
        None,
    )
    [held] = await claim(process, names=frozenset({"machine"}))
    assert held.action == "second"


async def test_the_rest_is_given_back_with_nothing_counted(process: Process, noted: Noted) -> None:
    async with started(process) as worker:
        ids = [await enqueue(process, "job", 3_600.0) for _ in range(3)]
        await until(lambda: len(noted.begun) == 3)
        assert 9.9 <= await drained(process, worker, 10) <= 10.2
    assert len(noted.stopped) == 3
    for each in ids:
        assert process.told(each)[-1] == "RELEASED"
        assert await facts(process, each, "status", "ready", "attempts", "losses") == (
            "PENDING",
            1,
            0,
            0,
        )
    assert len(await claim(process, 9, names=frozenset({"job"}))) == 3


async def test_nothing_is_claimed_after_the_drain_began(process: Process, noted: Noted) -> None:
    async with started(process) as worker:
        await process.calm()
        await drained(process, worker, 10)
        instance_id = await enqueue(process, "job", 0.0)
        await process.pass_time(5)
    assert await facts(process, instance_id, "status", "fence") == ("PENDING", 0)


async def test_an_idle_worker_drains_at_once(process: Process, noted: Noted) -> None:
    async with started(process) as worker:
        assert await drained(process, worker, 10) <= 0.1


async def test_without_a_grace_it_is_given_back_at_once(process: Process, noted: Noted) -> None:
    async with started(process) as worker:
        instance_id = await enqueue(process, "job", 3_600.0)
        await until(lambda: noted.begun)
        await drained(process, worker, 0)
    assert process.told(instance_id)[-1] == "RELEASED"


async def test_what_was_being_claimed_as_the_drain_began_is_not_left_behind(
    process: Process, noted: Noted, monkeypatch: pytest.MonkeyPatch
) -> None:
    claiming, going_on = threading.Event(), threading.Event()
    apply = Claim.apply

    def slowly(self: Claim, batch: Batch) -> Claims:
        claimed = apply(self, batch)
        if claimed.claimed:
            claiming.set()
            going_on.wait(10)
        return claimed

    monkeypatch.setattr(Claim, "apply", slowly)
    async with started(process) as worker:
        instance_id = await enqueue(process, "job", 3_600.0)
        await until(claiming.is_set)
        draining = asyncio.create_task(worker.drain(1))
        await asyncio.sleep(0.01)
        going_on.set()
        await process.pass_until(draining.done, limit=20)
    assert await facts(process, instance_id, "status", "losses") == ("PENDING", 0)


async def test_a_cancel_that_was_requested_wins_over_giving_back(
    process: Process, noted: Noted
) -> None:
    async with started(process) as worker:
        instance_id = await enqueue(process, "job", 3_600.0)
        await until(lambda: noted.begun)
        worker._deafen()
        await cancel(process, instance_id)
        await drained(process, worker, 1)
    assert (await find(process, instance_id)).status is Status.CANCELLED


async def test_code_that_swallows_its_end_is_stopped_again(process: Process) -> None:
    swallowed = 0

    @process.registry.workflow
    async def job(ctx: Context[None], params: None) -> str:
        nonlocal swallowed
        while swallowed < 3:
            try:
                await asyncio.sleep(3_600)
            except asyncio.CancelledError:
                swallowed += 1
        return "done"

    async with started(process) as worker:
        instance_id = await enqueue(process, "job")
        await until(worker.runner.held)
        await process.calm()
        await drained(process, worker, 1)
    assert swallowed == 3
    found = await find(process, instance_id)
    assert (found.status, found.output) == (Status.COMPLETED, '"done"')


class TestAbandon:
    async def test_what_is_held_is_given_back_from_another_thread(
        self, process: Process, noted: Noted, drive: Drive
    ) -> None:
        driven = drive(process)
        ids = [await enqueue(process, "job", 3_600.0) for _ in range(3)]
        await driven.tick()
        assert await asyncio.to_thread(driven.worker.abandon) == 3
        for each in ids:
            assert await facts(process, each, "status", "ready", "losses", "attempts") == (
                "PENDING",
                1,
                0,
                0,
            )
            told = await process.store.events.of_instance(each, 0, 9)
            assert told[-1].type == "RELEASED"

    async def test_nothing_held_is_nothing_to_give(
        self, process: Process, noted: Noted, drive: Drive
    ) -> None:
        assert drive(process).worker.abandon() == 0

    async def test_only_what_is_still_held_counts(
        self, process: Process, noted: Noted, drive: Drive, clock: FakeClock
    ) -> None:
        driven = drive(process, lease=30 * SECOND)
        ids = [await enqueue(process, "job", 3_600.0) for _ in range(2)]
        await driven.tick()
        await process.alter("UPDATE instances SET fence = 9 WHERE id = ?", ids[0])
        assert await asyncio.to_thread(driven.worker.abandon) == 1
        assert await facts(process, ids[0], "status") == ("RUNNING",)
        await process.alter("UPDATE instances SET fence = 1 WHERE id = ?", ids[0])

    async def test_what_was_given_back_can_not_be_written_any_more(
        self, process: Process, noted: Noted, drive: Drive
    ) -> None:
        driven = drive(process)
        instance_id = await enqueue(process, "job", 1.0)
        await driven.tick()
        await until(lambda: noted.begun)
        await asyncio.to_thread(driven.worker.abandon)
        await process.clock.advance(2)
        await driven.settle()
        assert noted.ended
        assert (await find(process, instance_id)).status is Status.PENDING


async def test_two_workers_share_the_work_and_run_each_once(
    process: Process, other: Process, noted: Noted
) -> None:
    also = Noted(other)
    async with started(process, slots=3) as one, started(other, slots=3) as two:
        ids = [await enqueue(process, "job", 0.5) for _ in range(40)]
        await process.pass_until(lambda: len(noted.ended) + len(also.ended) >= 40)
        await asyncio.gather(one.drain(10), two.drain(10))
    assert (len(noted.begun) + len(also.begun)) == 40
    assert noted.begun
    assert also.begun
    for each in ids:
        assert (await find(process, each)).status is Status.COMPLETED


async def test_each_worker_has_an_id_of_its_own(process: Process, noted: Noted) -> None:
    assert worker_of(process).id != worker_of(process).id
