"""Runs a backlog down by worker processes, on a database of its own.

The backlog waits in a paused queue when the workers start. They warm up on the other workflow; then
the queue is resumed, and the clock runs until a look at the table finds no instance that lives.
Nobody else has a service open meanwhile.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

import psycopg

from bench.drain import ONE_ACTION, THREE_ACTIONS
from bench.inside import enqueue_paused, inside, request
from bench.plan import Plan
from bench.server import worker
from bench.turns import Measure

WORKERS = (1, 2, 4)
_LOOK = 0.01
_WARM = 200
_OTHER = {"noop": "three", "three": "noop"}
_LIVES = "SELECT EXISTS (SELECT FROM instances WHERE name = %s AND finished_at IS NULL)"


def by(name: str, workers: int) -> str:
    """Return the name of a figure."""
    return f"{name}, {workers} worker process{'es' if workers > 1 else ''}"


async def drain(url: str, name: str, total: int, workers: int) -> float:
    """Return how many instances of a backlog were completed a second.

    The last one arrives when the queue is resumed, since that is what wakes workers at once.
    """
    async with AsyncExitStack() as stack:
        async with inside(url, worker=False) as service:
            await enqueue_paused(service, name, total - 1)
            for _ in range(workers):
                await stack.enter_async_context(worker(url))
            await service.workflows.enqueue_many([request(_OTHER[name])] * _WARM)
            await asyncio.to_thread(_wait_for_all, url, _OTHER[name])
        async with inside(url, worker=False) as service:
            await asyncio.sleep(1)
            start = time.perf_counter()
            await service.queues.resume(name)
            await service.workflows.enqueue(request(name))
        await asyncio.to_thread(_wait_for_all, url, name)
        return total / (time.perf_counter() - start)


def _wait_for_all(url: str, name: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        while connection.execute(_LIVES, (name,)).fetchone() != (False,):
            time.sleep(_LOOK)


@asynccontextmanager
async def backlogs(plan: Plan) -> AsyncGenerator[Mapping[str, Measure]]:
    """Yield what measures each kind of backlog, with each number of workers."""

    def case(name: str, workers: int) -> Measure:
        async def measure() -> float:
            with plan.lent("backlog") as url:
                return await drain(url, name, plan.many(10_000), workers)

        return measure

    yield {
        by(kind, workers): case(name, workers)
        for kind, name in ((ONE_ACTION, "noop"), (THREE_ACTIONS, "three"))
        for workers in WORKERS
    }
