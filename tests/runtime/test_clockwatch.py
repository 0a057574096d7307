import pytest

from service.runtime.clockwatch import ClockWatch
from tests.clock import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


async def test_time_that_passes_is_no_step(clock: FakeClock) -> None:
    watch = ClockWatch(clock, lease=30)
    for _ in range(5):
        await clock.advance(100)
        assert (watch.steps, watch.trusted) == (0, True)


@pytest.mark.parametrize("seconds", [3_600, -3_600, 1.1, -1.1])
async def test_a_clock_that_was_set_is_noticed_once(clock: FakeClock, seconds: float) -> None:
    watch = ClockWatch(clock, lease=30)
    clock.set_wall(seconds)
    assert watch.steps == 1
    await clock.advance(1)
    assert watch.steps == 1
    clock.set_wall(-seconds)
    assert watch.steps == 2


async def test_it_is_not_trusted_for_a_full_lease(clock: FakeClock) -> None:
    watch = ClockWatch(clock, lease=30)
    clock.set_wall(-3_600)
    assert watch.steps == 1
    assert not watch.trusted
    await clock.advance(29.9)
    assert not watch.trusted
    await clock.advance(0.1)
    assert watch.trusted


async def test_each_step_begins_the_distrust_anew(clock: FakeClock) -> None:
    watch = ClockWatch(clock, lease=30)
    clock.set_wall(3_600)
    assert watch.steps == 1
    await clock.advance(20)
    clock.set_wall(3_600)
    assert watch.steps == 2
    await clock.advance(20)
    assert not watch.trusted
    await clock.advance(10)
    assert watch.trusted


async def test_a_clock_that_is_corrected_little_by_little_is_trusted(clock: FakeClock) -> None:
    watch = ClockWatch(clock, lease=30)
    for _ in range(20):
        clock.set_wall(0.9)
        assert watch.steps == 0
    assert watch.trusted
