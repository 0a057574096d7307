"""Code that blocks the event loop, and a clock that is set, while a whole worker is at work."""

import asyncio
import threading
import time
from contextlib import closing

import pytest

from service.domain.clock import SECOND
from service.domain.context import Context
from service.domain.instance import Status
from tests.clock import FakeClock
from tests.runtime.driving import HOUR, at_work, enqueue, find
from tests.services import Process, until
from tests.store.making import facts


def wait_for(caplog: pytest.LogCaptureFixture, text: str) -> None:
    """Block the calling thread until it is logged."""
    deadline = time.monotonic() + 10
    while text not in caplog.text:
        assert time.monotonic() < deadline, f"never logged: {text}"
        time.sleep(0.002)


async def test_a_blocked_loop_is_reported_by_name_and_in_the_end_gives_its_leases_up(
    process: Process, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    @process.registry.workflow
    async def job(ctx: Context[None], params: None) -> None:
        clock._elapsed += 10 * SECOND
        wait_for(caplog, f"job {ctx.instance_id} blocks the event loop")
        assert "given up" not in caplog.text
        clock._elapsed += 60 * SECOND
        wait_for(caplog, "its leases are given up")

    async with at_work(process, heartbeat=0.01, blocked_after=5.0, blocked_limit=60.0) as worker:
        instance_id = await enqueue(process, "job")
        await until(lambda: process.told(instance_id)[-1:] == ["COMPLETED"])
        await process.pass_until(lambda: "turns again" in caplog.text)
        assert worker.pulse.blocked_for == 0


async def test_leases_are_renewed_meanwhile(process: Process, clock: FakeClock) -> None:
    blocked, going_on = threading.Event(), threading.Event()

    @process.registry.workflow
    async def job(ctx: Context[None], params: None) -> None:
        clock._elapsed += 10 * SECOND
        blocked.set()
        going_on.wait(10)

    def lease_until() -> int:
        with closing(process.store.session()) as session:
            text = "SELECT lease_until FROM instances"
            return session.transaction(lambda tx: tx.compose(text, ()))[0][0]

    def watch() -> bool:
        """Look, in a thread, whether the lease is renewed while the loop is blocked."""
        blocked.wait(10)
        deadline = time.monotonic() + 10
        try:
            while time.monotonic() < deadline:
                if lease_until() == clock.now() + HOUR * SECOND:
                    return True
                time.sleep(0.002)
            return False
        finally:
            going_on.set()

    async with at_work(process, heartbeat=0.01):
        watching = asyncio.create_task(asyncio.to_thread(watch))
        instance_id = await enqueue(process, "job")
        assert await watching
        await until(lambda: process.told(instance_id)[-1:] == ["COMPLETED"])


@pytest.mark.parametrize("hours", [-2, 2])
async def test_after_the_clock_was_set_leases_held_here_are_renewed_at_once(
    process: Process, clock: FakeClock, hours: int
) -> None:
    @process.registry.workflow
    async def job(ctx: Context[None], params: None) -> None:
        await asyncio.sleep(3_600)

    async with at_work(process) as worker:
        instance_id = await enqueue(process, "job")
        await until(worker.runner.held)
        clock.set_wall(hours * HOUR)
        await process.pass_time(1)
        deadline = time.monotonic() + 10
        ahead = 0
        while not (HOUR - 2) * SECOND <= ahead <= HOUR * SECOND:
            assert time.monotonic() < deadline
            [until_] = await facts(process, instance_id, "lease_until")
            ahead = until_ - clock.now()
        await process.pass_time(5)
        assert (await find(process, instance_id)).status is Status.RUNNING
        assert await facts(process, instance_id, "fence") == (1,)
