"""One stream, told to 1, 100 and 1,000 subscribers over WebSockets.

Instances are enqueued and run by the server that tells of them; each is three events. The clock
runs from the mutation that enqueues to the moment when the last subscriber has had the last event.
"""

import asyncio
import time
from collections.abc import Mapping

from bench.crowd import crowd
from bench.figure import Figure, Floor, Line
from bench.mutation import PARAMS
from bench.plan import Plan
from bench.server import Server, service
from bench.subscriber import follow_body
from bench.turns import Measure, take_turns

_ENQUEUE_MANY = """
mutation EnqueueMany($input: EnqueueManyInput!) {
  enqueueMany(input: $input) { results { cursor } }
}
"""
_EVENTS_EACH = 3
INSTANCES: Mapping[int, int] = {1: 1_000, 100: 500, 1_000: 100}
"""How many instances each crowd is told of."""
IDLE = 1_000
PER_SUBSCRIBER = Floor(100.0, at_most=True)


async def enqueue_many(server: Server, count: int) -> None:
    """Enqueue no-ops in one mutation."""
    items = [{"name": "noop", "params": PARAMS}] * count
    await server.ask({"query": _ENQUEUE_MANY, "variables": {"input": {"items": items}}})


async def delivered(server: Server, size: int, instances: int) -> float:
    """Return the events a second that a crowd was given, all members together."""
    events = instances * _EVENTS_EACH
    async with crowd(server.port, follow_body(), size=size, events=events) as people:
        await asyncio.sleep(0.3)
        start = time.monotonic()
        await enqueue_many(server, instances)
        last = float(await people.line())
    return size * events / (last - start)


async def memory_each(server: Server, size: int) -> float:
    """Return the kB of the server's memory that one idle subscriber takes."""
    before = server.process.memory
    async with crowd(server.port, follow_body(), size=size):
        await asyncio.sleep(1)
        return (server.process.memory - before) / size / 1_000


def _named(size: int) -> str:
    return "1 subscriber" if size == 1 else f"{size:,} subscribers"


async def run(plan: Plan) -> list[Line]:
    """Measure delivery on one server, and memory on fresh ones: freed memory is used again."""
    async with service(plan.new_database("subscribers")) as server:
        await delivered(server, 10, 10)

        def case(size: int, instances: int) -> Measure:
            async def measure() -> float:
                return await delivered(server, size, plan.many(instances))

            return measure

        cases = {_named(size): case(size, many) for size, many in INSTANCES.items()}
        figures = await take_turns(cases, rounds=plan.rounds, unit="events/s")
    lines = [Line(bench="subscribers", figure=figure) for figure in figures.values()]
    kilobytes: list[float] = []
    for _ in range(plan.rounds):
        async with service(plan.new_database("memory")) as server:
            await delivered(server, 10, 10)
            kilobytes.append(await memory_each(server, IDLE))
    memory = Figure(f"memory of one of {IDLE:,} idle subscribers", "kB", kilobytes)
    return [*lines, Line(bench="subscribers", figure=memory, floor=PER_SUBSCRIBER)]
