import pytest

from service.domain.clock import SECOND
from service.runtime.clockwatch import ClockWatch
from service.runtime.reaper import Reaper
from tests.clock import FakeClock
from tests.services import Process
from tests.store.making import claim, enqueue, facts, running, status

LEASE = 30


class Reaping:
    def __init__(self, process: Process) -> None:
        self.renewals = 0
        self._process = process
        watch = ClockWatch(process.clock, LEASE)
        watch.compare(process.clock.now(), process.clock.monotonic())
        self._reaper = Reaper(process.store, watch, lease=LEASE * SECOND, renew=self._renew)

    async def reap(self) -> list[str]:
        asked = self._process.clock.monotonic()
        return await self._reaper.reap(await self._process.store.agenda(), asked)

    def _renew(self) -> None:
        self.renewals += 1


@pytest.fixture
def reaping(process: Process) -> Reaping:
    return Reaping(process)


async def test_it_takes_what_ran_out_and_says_so(
    process: Process,
    reaping: Reaping,
    clock: FakeClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    held = await running(process)
    await clock.advance(29)
    assert await reaping.reap() == []
    await clock.advance(1)
    assert await reaping.reap() == [held.id]
    assert await status(process, held.id) == "PENDING"
    assert [record.__dict__["instance"] for record in caplog.records] == [held.id]
    assert reaping.renewals == 0


async def test_it_takes_everything_in_batches(
    process: Process, reaping: Reaping, clock: FakeClock
) -> None:
    for _ in range(450):
        await enqueue(process)
    await claim(process, 450)
    await clock.advance(31)
    assert len(set(await reaping.reap())) == 450


async def test_after_the_clock_was_set_forward_nothing_is_taken_for_a_lease(
    process: Process, reaping: Reaping, clock: FakeClock
) -> None:
    held = await running(process)
    clock.set_wall(3_600)
    assert await reaping.reap() == []
    assert reaping.renewals == 1
    await clock.advance(29)
    assert await reaping.reap() == []
    assert reaping.renewals == 1
    await clock.advance(1)
    assert await reaping.reap() == [held.id]


async def test_what_is_renewed_meanwhile_is_kept(
    process: Process, reaping: Reaping, clock: FakeClock
) -> None:
    held = await running(process)
    clock.set_wall(3_600)
    await reaping.reap()
    await process.alter("UPDATE instances SET lease_until = ?", clock.now() + 31 * SECOND)
    await clock.advance(30)
    assert await reaping.reap() == []
    assert await status(process, held.id) == "RUNNING"


async def test_after_the_clock_was_set_back_leases_are_cut_to_one(
    process: Process, reaping: Reaping, clock: FakeClock
) -> None:
    held = await running(process)
    clock.set_wall(-3_600)
    assert await reaping.reap() == []
    assert reaping.renewals == 1
    assert await facts(process, held.id, "lease_until") == (clock.now() + LEASE * SECOND,)
    await clock.advance(30)
    assert await reaping.reap() == [held.id]
