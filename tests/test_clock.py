import asyncio

import pytest

from service.domain.clock import SECOND, Clock
from tests.clock import NOON, FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


async def sleep_then_note(clock: Clock, seconds: float, notes: list[tuple[float, float]]) -> None:
    await clock.sleep(seconds)
    notes.append((seconds, clock.monotonic()))


async def test_stands_still_until_it_is_moved(clock: FakeClock) -> None:
    await asyncio.sleep(0.01)
    assert (clock.now(), clock.monotonic()) == (NOON, 0)
    await clock.advance(1.5)
    assert (clock.now(), clock.monotonic()) == (NOON + 3 * SECOND // 2, 1.5)


async def test_wakes_sleepers_in_the_order_of_their_due_times(clock: FakeClock) -> None:
    notes: list[tuple[float, float]] = []
    async with asyncio.TaskGroup() as group:
        for seconds in (3, 1, 2):
            group.create_task(sleep_then_note(clock, seconds, notes))
        await clock.advance(2)
        assert notes == [(1, 1), (2, 2)]
        assert clock.sleepers == 1
        await clock.advance(1)
    assert notes == [(1, 1), (2, 2), (3, 3)]


async def test_a_sleeper_that_sleeps_again_wakes_at_each_due_time(clock: FakeClock) -> None:
    ticks: list[float] = []

    async def tick() -> None:
        while True:
            await clock.sleep(1)
            ticks.append(clock.monotonic())

    task = asyncio.create_task(tick())
    await clock.advance(3.5)
    assert ticks == [1, 2, 3]
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert clock.sleepers == 0
    await clock.advance(5)
    assert ticks == [1, 2, 3]


async def test_no_time_is_no_sleep(clock: FakeClock) -> None:
    await asyncio.wait_for(clock.sleep(0), 1)
    await asyncio.wait_for(clock.sleep(-1), 1)


async def test_the_wall_clock_is_set_without_the_monotonic_one(clock: FakeClock) -> None:
    sleeper = asyncio.create_task(clock.sleep(10))
    await clock.advance(1)
    clock.set_wall(-3_600)
    assert (clock.now(), clock.monotonic()) == (NOON - 3_599 * SECOND, 1)
    await clock.advance(8)
    assert not sleeper.done()
    await clock.advance(1)
    assert sleeper.done()


async def test_wakes_a_sleeper_of_another_loop(clock: FakeClock) -> None:
    elsewhere = asyncio.create_task(asyncio.to_thread(asyncio.run, clock.sleep(5)))
    while not clock.sleepers:
        await asyncio.sleep(0.001)
    await clock.advance(5)
    await asyncio.wait_for(elsewhere, 5)


async def test_advances_until_something_is_so(clock: FakeClock) -> None:
    task = asyncio.create_task(clock.sleep(7))
    await clock.advance_until(task.done, step=1)
    assert clock.monotonic() == 7
    with pytest.raises(TimeoutError):
        await clock.advance_until(lambda: False, step=1, limit=3)
