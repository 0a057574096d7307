import pytest

from service.domain.clock import SECOND
from service.runtime.clockwatch import ClockWatch
from tests.clock import FakeClock

LEASE = 30


class Watching:
    """A watch that is shown the judging clock, which here is that of the machine."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.watch = ClockWatch(clock, LEASE)
        assert self.steps() == 0

    def steps(self) -> int:
        self.watch.compare(self.clock.now(), self.clock.monotonic())
        return self.watch.steps


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def watching(clock: FakeClock) -> Watching:
    return Watching(clock)


async def test_time_that_passes_is_no_step(clock: FakeClock, watching: Watching) -> None:
    for _ in range(5):
        await clock.advance(100)
        assert (watching.steps(), watching.watch.trusted) == (0, True)


@pytest.mark.parametrize("seconds", [3_600, -3_600, 1.1, -1.1])
async def test_a_clock_that_was_set_is_noticed_once(
    clock: FakeClock, watching: Watching, seconds: float
) -> None:
    clock.set_wall(seconds)
    assert watching.steps() == 1
    await clock.advance(1)
    assert watching.steps() == 1
    clock.set_wall(-seconds)
    assert watching.steps() == 2


async def test_it_is_not_trusted_for_a_full_lease(clock: FakeClock, watching: Watching) -> None:
    clock.set_wall(-3_600)
    assert watching.steps() == 1
    assert not watching.watch.trusted
    await clock.advance(29.9)
    assert not watching.watch.trusted
    await clock.advance(0.1)
    assert watching.watch.trusted


async def test_each_step_begins_the_distrust_anew(clock: FakeClock, watching: Watching) -> None:
    clock.set_wall(3_600)
    assert watching.steps() == 1
    await clock.advance(20)
    clock.set_wall(3_600)
    assert watching.steps() == 2
    await clock.advance(20)
    assert not watching.watch.trusted
    await clock.advance(10)
    assert watching.watch.trusted


async def test_a_clock_that_is_corrected_little_by_little_is_trusted(
    clock: FakeClock, watching: Watching
) -> None:
    for _ in range(20):
        clock.set_wall(0.9)
        assert watching.steps() == 0
    assert watching.watch.trusted


async def test_an_answer_that_was_long_under_way_is_no_step(
    clock: FakeClock, watching: Watching
) -> None:
    asked, judged = clock.monotonic(), clock.now()
    await clock.advance(20)
    watching.watch.compare(judged, asked)
    asked = clock.monotonic()
    await clock.advance(20)
    watching.watch.compare(clock.now(), asked)
    assert watching.steps() == 0


async def test_a_clock_of_another_machine_may_differ_but_not_move(
    clock: FakeClock, watching: Watching
) -> None:
    far = ClockWatch(clock, LEASE)
    for _ in range(3):
        far.compare(clock.now() + 600 * SECOND, clock.monotonic())
        await clock.advance(5)
        assert far.steps == 0
    far.compare(clock.now() + 590 * SECOND, clock.monotonic())
    assert (far.steps, far.trusted) == (1, False)
