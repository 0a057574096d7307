import asyncio
import threading
from collections.abc import AsyncGenerator

import pytest

from service.runtime.pulse import Pulse
from tests.clock import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def pulse(clock: FakeClock) -> Pulse:
    return Pulse(clock, blocked_after=5, blocked_limit=60)


@pytest.fixture
async def beating(pulse: Pulse) -> AsyncGenerator[Pulse]:
    task = asyncio.create_task(pulse.run())
    await asyncio.sleep(0)
    yield pulse
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_a_loop_that_turns_is_not_blocked(beating: Pulse, clock: FakeClock) -> None:
    for _ in range(5):
        await clock.advance(100)
        assert (beating.blocked_for, beating.blocked_too_long) == (0, False)


async def test_a_loop_that_does_not_turn_is_blocked(pulse: Pulse, clock: FakeClock) -> None:
    await clock.advance(5)
    assert pulse.blocked_for == 0
    await clock.advance(1)
    assert (pulse.blocked_for, pulse.blocked_too_long) == (6, False)
    await clock.advance(54)
    assert not pulse.blocked_too_long
    await clock.advance(1)
    assert (pulse.blocked_for, pulse.blocked_too_long) == (61, True)


async def test_it_is_reported_once_by_name_and_place(
    pulse: Pulse, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    await clock.advance(10)
    task = asyncio.current_task()
    assert task is not None
    task.set_name("order 0190-7")

    def look() -> None:
        for _ in range(3):
            pulse.look()

    watcher = threading.Thread(target=look)
    watcher.start()
    watcher.join()  # blocks the loop, here
    [record] = caplog.records
    message = record.getMessage()
    assert message.startswith("order 0190-7 blocks the event loop for 10 s")
    assert "in test_it_is_reported_once_by_name_and_place" in message


async def test_that_it_turns_again_is_reported_too(
    pulse: Pulse, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    await clock.advance(10)
    pulse.look()
    task = asyncio.create_task(pulse.run())
    await clock.advance(3)
    assert [record.getMessage() for record in caplog.records][1:] == ["The event loop turns again."]
    pulse.look()
    assert len(caplog.records) == 2
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_a_loop_that_turns_is_not_reported(
    beating: Pulse, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    await clock.advance(100)
    beating.look()
    assert caplog.records == []


async def test_between_tasks_nobody_is_to_blame(pulse: Pulse) -> None:
    assert await asyncio.get_running_loop().run_in_executor(None, lambda: pulse.culprit)
    loop = asyncio.get_running_loop()
    named: asyncio.Future[str] = loop.create_future()
    loop.call_soon(lambda: named.set_result(pulse.culprit))
    assert await named == "no task"
