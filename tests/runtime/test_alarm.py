import asyncio

import pytest

from service.runtime.alarm import Alarm
from tests.clock import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


async def turns(count: int = 20) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_it_sleeps_for_its_time(clock: FakeClock) -> None:
    sleeping = asyncio.create_task(Alarm(clock).sleep(5))
    await clock.advance(4.9)
    assert not sleeping.done()
    await clock.advance(0.1)
    assert sleeping.done()


async def test_a_ring_ends_the_sleep(clock: FakeClock) -> None:
    alarm = Alarm(clock)
    sleeping = asyncio.create_task(alarm.sleep(5))
    await turns()
    alarm.ring()
    await turns()
    assert sleeping.done()
    assert clock.sleepers == 0


async def test_a_ring_while_awake_ends_the_next_sleep_and_no_other(clock: FakeClock) -> None:
    alarm = Alarm(clock)
    alarm.ring()
    alarm.ring()
    await asyncio.wait_for(alarm.sleep(5), 1)
    sleeping = asyncio.create_task(alarm.sleep(5))
    await turns()
    assert not sleeping.done()
    await clock.advance(5)
    assert sleeping.done()


async def test_one_ring_ends_one_sleep(clock: FakeClock) -> None:
    alarm = Alarm(clock)
    slept = 0

    async def sleep_on() -> None:
        nonlocal slept
        while True:
            await alarm.sleep(5)
            slept += 1

    sleeper = asyncio.create_task(sleep_on())
    await turns()
    alarm.ring()
    await turns(200)
    assert slept == 1
    await clock.advance(5)
    assert slept == 2
    sleeper.cancel()
    await asyncio.gather(sleeper, return_exceptions=True)


async def test_the_end_of_one_sleep_does_not_end_the_next(clock: FakeClock) -> None:
    alarm = Alarm(clock)
    for _ in range(3):
        sleeping = asyncio.create_task(alarm.sleep(5))
        await clock.advance(4)
        assert not sleeping.done()
        await clock.advance(1)
        assert sleeping.done()


async def test_no_time_is_no_sleep(clock: FakeClock) -> None:
    alarm = Alarm(clock)
    await asyncio.wait_for(alarm.sleep(0), 1)
    await asyncio.wait_for(alarm.sleep(-3), 1)


async def test_a_sleeper_who_is_cancelled_leaves_nothing_behind(clock: FakeClock) -> None:
    alarm = Alarm(clock)
    sleeping = asyncio.create_task(alarm.sleep(5))
    await turns()
    sleeping.cancel()
    await asyncio.gather(sleeping, return_exceptions=True)
    await turns()
    assert clock.sleepers == 0
