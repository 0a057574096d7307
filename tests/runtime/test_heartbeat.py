import asyncio
import logging
import threading
from collections.abc import Callable, Generator

import pytest

from service.domain.clock import SECOND
from service.domain.context import Context
from service.domain.errors import Unavailable
from service.domain.instance import Status
from service.store.database import Session
from service.store.upkeep import Reclaim
from tests.clock import FakeClock
from tests.runtime.driving import Driven, at_work, enqueue, find
from tests.services import Place, Process, until
from tests.store.making import cancel, claim, facts

Drive = Callable[..., Driven]

LEASE = 30 * SECOND


@pytest.fixture
def session(process: Process) -> Generator[Session]:
    opened = process.store.session()
    yield opened
    opened.close()


class Waiting:
    """A workflow that waits until it is stopped."""

    def __init__(self, process: Process) -> None:
        self.stopped = 0

        @process.registry.workflow(name="job")
        async def job(ctx: Context[None], params: None) -> None:
            try:
                await asyncio.sleep(3_600)
            finally:
                self.stopped += 1


async def begun(process: Process, driven: Driven, count: int = 1) -> list[str]:
    ids = [await enqueue(process, "job") for _ in range(count)]
    await driven.tick()
    await asyncio.sleep(0)
    assert {held.id for held in driven.runner.held()} == set(ids)
    return ids


async def test_it_renews_whatever_is_held(
    process: Process, drive: Drive, clock: FakeClock, session: Session
) -> None:
    Waiting(process)
    driven = drive(process, lease=LEASE)
    ids = await begun(process, driven, 3)
    for _ in range(4):
        await clock.advance(20)
        driven.worker.heartbeat.beat(session)
        for each in ids:
            assert await facts(process, each, "lease_until") == (clock.now() + LEASE,)
        assert await process.store.write(Reclaim(limit=9)) == []


async def test_a_lease_that_was_lost_stops_its_action_which_writes_nothing(
    process: Process, drive: Drive, clock: FakeClock, session: Session
) -> None:
    waiting = Waiting(process)
    driven = drive(process, lease=LEASE)
    [lost, kept] = await begun(process, driven, 2)
    await process.alter("UPDATE instances SET lease_until = 0 WHERE id = ?", lost)
    await process.store.write(Reclaim(limit=9))
    [held] = await claim(process, names=frozenset({"job"}), worker="w2")
    told = len(process.fed)
    driven.worker.heartbeat.beat(session)
    await until(lambda: [each.id for each in driven.runner.held()] == [kept])
    assert waiting.stopped == 1
    assert (held.id, held.fence) == (lost, 2)
    assert len(process.fed) == told
    assert (await find(process, lost)).status is Status.RUNNING


async def test_a_cancel_in_another_process_stops_the_action(
    process: Process, drive: Drive, session: Session, place: Place
) -> None:
    waiting = Waiting(process)
    driven = drive(process, lease=LEASE)
    [instance_id] = await begun(process, driven)
    async with place.process() as other:
        await cancel(other, instance_id)
    driven.worker.heartbeat.beat(session)
    await driven.settle()
    assert waiting.stopped == 1
    assert (await find(process, instance_id)).status is Status.CANCELLED


async def test_what_has_ended_meanwhile_is_no_loss(
    process: Process, drive: Drive, session: Session
) -> None:
    Waiting(process)
    driven = drive(process, lease=LEASE)
    [instance_id] = await begun(process, driven)
    await cancel(process, instance_id)
    driven.worker.heartbeat.beat(session)
    await driven.settle()
    driven.worker.heartbeat.beat(session)
    await asyncio.sleep(0)
    assert (await find(process, instance_id)).status is Status.CANCELLED


async def test_holding_nothing_it_writes_nothing(
    process: Process, drive: Drive, session: Session
) -> None:
    Waiting(process)

    class Silent:
        def transaction(self, work: object) -> None:
            raise AssertionError("nothing is to be written")

        def close(self) -> None:
            pass

    drive(process).worker.heartbeat.beat(Silent())  # type: ignore[arg-type]


async def test_while_the_loop_is_blocked_it_goes_on_up_to_a_limit(
    process: Process,
    drive: Drive,
    clock: FakeClock,
    session: Session,
    caplog: pytest.LogCaptureFixture,
) -> None:
    Waiting(process)
    driven = drive(process, lease=LEASE, blocked_after=5.0, blocked_limit=60.0)
    [instance_id] = await begun(process, driven)
    await clock.advance(60)  # nothing beats the pulse: as it is while the loop doesn't turn
    driven.worker.heartbeat.beat(session)
    renewed = clock.now() + LEASE
    assert await facts(process, instance_id, "lease_until") == (renewed,)
    await clock.advance(1)
    driven.worker.heartbeat.beat(session)
    assert await facts(process, instance_id, "lease_until") == (renewed,)
    assert "given up" in caplog.text
    await clock.advance(29)
    assert await process.store.write(Reclaim(limit=9)) == [instance_id]


async def test_it_beats_in_a_thread_of_its_own(process: Process, clock: FakeClock) -> None:
    waiting = Waiting(process)
    async with at_work(process) as worker:
        instance_id = await enqueue(process, "job")
        await until(worker.runner.held)
        before = await facts(process, instance_id, "lease_until")
        await clock.advance(1)
        worker.heartbeat.poke()
        deadline = asyncio.get_running_loop().time() + 10
        while await facts(process, instance_id, "lease_until") == before:
            assert asyncio.get_running_loop().time() < deadline
    assert waiting.stopped == 1
    assert "heartbeat" not in {thread.name for thread in threading.enumerate()}


async def test_it_renews_at_each_interval(process: Process, clock: FakeClock) -> None:
    Waiting(process)
    async with at_work(process, heartbeat=0.02) as worker:
        instance_id = await enqueue(process, "job")
        await until(worker.runner.held)
        for _ in range(2):
            await clock.advance(1)
            expected = (clock.now() + 3_600 * SECOND,)
            deadline = asyncio.get_running_loop().time() + 10
            while await facts(process, instance_id, "lease_until") != expected:
                assert asyncio.get_running_loop().time() < deadline


@pytest.mark.parametrize("error", [Unavailable("The disk is full."), ZeroDivisionError("odd")])
async def test_a_beat_that_fails_is_not_the_last(
    process: Process,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
) -> None:
    beats = 0

    async with at_work(process, heartbeat=0.01) as worker:

        def beat(session: Session) -> None:
            nonlocal beats
            beats += 1
            raise error

        monkeypatch.setattr(worker.heartbeat, "beat", beat)
        await until(lambda: beats >= 3)
    levels = {record.levelno for record in caplog.records if "eartbeat" in record.getMessage()}
    assert levels == {logging.WARNING if isinstance(error, Unavailable) else logging.ERROR}
