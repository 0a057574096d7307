"""Runs a backlog down inside this process, by the worker of a service that is open here."""

import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, asynccontextmanager

from bench.inside import ended, enqueue_paused, inside, request
from bench.plan import Plan
from bench.turns import Measure
from service.bootstrap import Service

ONE_ACTION = "backlog of one-action instances"
THREE_ACTIONS = "backlog of three-action instances"


async def drain(service: Service, name: str, total: int) -> float:
    """Return how many instances of a backlog were completed a second.

    The last one arrives when the queue is resumed, since that is what wakes a worker at once.
    """
    cursor = await enqueue_paused(service, name, total - 1)
    left = total
    start = time.perf_counter()
    await service.queues.resume(name)
    await service.workflows.enqueue(request(name))
    async with aclosing(ended(service, name, cursor)) as batches:
        async for batch in batches:
            left -= len(batch)
            if left == 0:
                break
    return total / (time.perf_counter() - start)


@asynccontextmanager
async def draining(plan: Plan) -> AsyncGenerator[Mapping[str, Measure]]:
    """Open a service that runs down backlogs of either kind."""
    async with inside(plan.new_database("backlog"), worker=True) as service:
        await drain(service, "noop", 200)
        await drain(service, "three", 200)

        def case(name: str) -> Measure:
            async def measure() -> float:
                return await drain(service, name, plan.many(5_000))

            return measure

        yield {ONE_ACTION: case("noop"), THREE_ACTIONS: case("three")}
