import asyncio
import time

from service.runtime.clock import SystemClock


async def test_it_tells_the_time_of_this_machine() -> None:
    clock = SystemClock()
    assert abs(clock.now() / 1e6 - time.time()) < 5
    before = clock.monotonic()
    await clock.sleep(0.01)
    assert clock.monotonic() - before >= 0.009


async def test_a_sleeper_can_be_cancelled() -> None:
    task = asyncio.create_task(SystemClock().sleep(60))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert task.cancelled()
