"""Workers, driven by hand or running on a clock that a test moves."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from service.domain.clock import SECOND
from service.domain.instance import Failure, Instance
from service.operations.workflows import EnqueueRequest
from service.runtime import guard
from service.runtime.holding import Reason
from service.runtime.policy import Policy
from service.runtime.worker import Worker
from tests.services import PAYLOAD_LIMIT, Process, until

HOUR = 3_600


def policy(**given: Any) -> Policy:
    """Return a policy whose leases outlast a test, unless it says otherwise."""
    facts: dict[str, Any] = {
        "slots": 10,
        "lease": HOUR * SECOND,
        "heartbeat": float(HOUR),
        "tick": 1.0,
        "blocked_after": 5.0,
        "blocked_limit": 300.0,
        "payload_limit": PAYLOAD_LIMIT,
        "retention": 30 * 24 * HOUR * SECOND,
        "prune_batch": 500,
    }
    return Policy(**(facts | given))


def worker_of(process: Process, **given: Any) -> Worker:
    """Return a worker for the workflows that are registered with the process by now."""
    return Worker(
        process.store,
        process.emitter,
        process.registry,
        process.clock,
        process.new_id,
        policy(**given),
    )


class Driven:
    """A worker without a loop of its own: it does one round when it is told to."""

    def __init__(self, process: Process, **given: Any) -> None:
        self.process = process
        self.worker = worker_of(process, **given)
        self.runner = self.worker.runner
        self._guard = guard.guarded(asyncio.get_running_loop())
        self._guard.__enter__()
        self._deafen = process.emitter.on_events(self.worker._hear)

    async def tick(self) -> None:
        """Do one round: take back, make ready, run hooks, claim."""
        await self.worker.scheduler.tick()

    async def settle(self) -> None:
        """Wait until nothing is held, and every hook that was begun has run."""
        await until(lambda: not self.runner.held())
        task = self.worker.hooks._task
        if task is not None:
            await asyncio.wait((task,))

    async def round(self) -> None:
        """Tick, and wait for what was started."""
        await self.tick()
        await self.settle()

    async def close(self) -> None:
        """End what still runs, as if its lease were lost."""
        self._deafen()
        for held in self.runner.held():
            self.runner.interrupt(held.id, Reason.LOST)
        await self.worker.hooks.close()
        await self.settle()
        self._guard.__exit__(None, None, None)


@asynccontextmanager
async def at_work(process: Process, **given: Any) -> AsyncGenerator[Worker]:
    """Let a worker work until the block ends; the clock is the test's to move."""
    worker = worker_of(process, **given)
    worker.start()
    try:
        yield worker
    finally:
        worker.scheduler.stop()
        await asyncio.wait(worker._tasks[:1])
        for held in worker.runner.held():
            worker.runner.interrupt(held.id, Reason.LOST)
        await until(lambda: not worker.runner.held())
        await worker.stop()


async def enqueue(process: Process, name: str, params: object = None, **given: Any) -> str:
    """Enqueue an instance and return its id."""
    request = EnqueueRequest(name=name, params=params, **given)
    return (await process.workflows.enqueue(request)).instance.id


async def find(process: Process, instance_id: str) -> Instance:
    """Return the instance."""
    found = await process.store.instances.get(instance_id)
    assert found is not None
    return found


async def failures(process: Process, instance_id: str) -> list[Failure]:
    """Return the instance's failed attempts."""
    return list(await process.store.instances.failures(instance_id, -1, 100))
