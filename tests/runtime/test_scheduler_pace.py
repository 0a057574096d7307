"""The scheduler neither hurries nor overlaps itself, whatever the database and the places do."""

import asyncio
import logging

import pytest

from service.domain.errors import Unavailable
from service.runtime.scheduler import Scheduler
from service.store.claims import Claim
from service.store.queues import Pause
from service.store.store import Store
from service.store.upkeep import Agenda
from tests.clock import FakeClock
from tests.runtime.driving import at_work, enqueue
from tests.runtime.timed import Noted
from tests.services import Process, until
from tests.store.making import asked, facts


@pytest.fixture
def noted(process: Process) -> Noted:
    return Noted(process)


class Outage:
    """Counts what the scheduler tries while the database is away."""

    def __init__(self, patched: pytest.MonkeyPatch, error: Exception) -> None:
        self.tries = 0

        async def agenda(store: Store) -> Agenda:
            self.tries += 1
            raise error

        def claim(*_: object) -> None:
            self.tries += 1
            raise error

        patched.setattr(Store, "agenda", agenda)
        patched.setattr(Claim, "apply", claim)


@pytest.mark.parametrize(
    ("error", "level"),
    [
        (Unavailable("The disk is full.", maybe_applied=False), logging.WARNING),
        (ZeroDivisionError("odd"), logging.ERROR),
    ],
)
async def test_an_outage_is_outlived_without_haste(
    process: Process,
    noted: Noted,
    clock: FakeClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    level: int,
) -> None:
    async with at_work(process):
        with monkeypatch.context() as patched:
            outage = Outage(patched, error)
            await enqueue(process, "job")
            await until(lambda: outage.tries)
            before = outage.tries
            await process.pass_time(10)
            assert 5 <= outage.tries - before <= 15
            assert noted.ran == []
        await process.pass_until(lambda: bool(noted.ran), limit=5)
    assert {record.levelno for record in caplog.records} == {level}


async def test_an_idle_one_does_one_round_a_tick(
    process: Process, noted: Noted, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds = 0
    agenda = Store.agenda

    async def counted(store: Store) -> Agenda:
        nonlocal rounds
        rounds += 1
        return await agenda(store)

    claims = 0
    apply = Claim.apply

    def counted_claim(claim: Claim, batch: object) -> object:
        nonlocal claims
        claims += 1
        return apply(claim, batch)  # type: ignore[arg-type]

    monkeypatch.setattr(Store, "agenda", counted)
    monkeypatch.setattr(Claim, "apply", counted_claim)
    async with at_work(process):
        await until(lambda: claims)
        before = rounds
        await process.pass_time(10)
        assert 9 <= rounds - before <= 11
    assert claims == 1


async def test_with_every_place_taken_it_does_not_turn_in_circles(
    process: Process, noted: Noted, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = 0
    step = Scheduler._step

    async def counted(scheduler: Scheduler) -> bool:
        nonlocal steps
        steps += 1
        return await step(scheduler)

    monkeypatch.setattr(Scheduler, "_step", counted)
    async with at_work(process, slots=1):
        await enqueue(process, "job", 3_600.0)
        await until(lambda: noted.ran)
        for _ in range(5):
            await enqueue(process, "job")
        before = steps
        for _ in range(300):
            await asyncio.sleep(0)
        assert steps - before <= 5


async def test_ticks_never_overlap(
    process: Process, noted: Noted, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = most = 0
    agenda = Store.agenda

    async def slow(store: Store) -> Agenda:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        await asyncio.sleep(0.01)
        inside -= 1
        return await agenda(store)

    monkeypatch.setattr(Store, "agenda", slow)
    async with at_work(process):
        for _ in range(10):
            await enqueue(process, "job")
            await clock.advance(1)
        await until(lambda: len(noted.ran) == 10)
    assert most == 1


async def test_a_round_that_was_begun_when_it_is_stopped_claims_nothing(
    process: Process, noted: Noted, monkeypatch: pytest.MonkeyPatch
) -> None:
    agenda = Store.agenda

    async with at_work(process) as worker:
        await process.calm()

        async def stopping(store: Store) -> Agenda:
            found = await agenda(store)
            worker.scheduler.stop()
            return found

        await process.queues.pause("job")
        instance_id = await enqueue(process, "job")
        await process.calm()
        monkeypatch.setattr(Store, "agenda", stopping)
        await process.store.write(Pause(name="job", paused=False, request=asked()))
        await process.pass_time(3)
    assert await facts(process, instance_id, "fence") == (0,)
