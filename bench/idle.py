"""The CPU that a server takes while nothing happens, alone and with subscribers that wait."""

import asyncio

from bench.crowd import crowd
from bench.figure import Figure, Floor, Line
from bench.plan import Plan
from bench.server import Server, service
from bench.subscriber import follow_body
from bench.subscribers import IDLE, delivered

SPAN = 10.0
FLOOR = Floor(0.5, at_most=True)


async def percent_of_a_core(server: Server, seconds: float) -> float:
    """Return the CPU time used, in percent of one core."""
    before = server.process.cpu_seconds
    await asyncio.sleep(seconds)
    return (server.process.cpu_seconds - before) / seconds * 100


async def run(plan: Plan) -> list[Line]:
    """Measure both, a few times each."""
    alone: list[float] = []
    waited_on: list[float] = []
    async with service(plan.new_file("idle")) as server:
        await delivered(server, 10, 10)
        await asyncio.sleep(2)
        for _ in range(min(plan.rounds, 3)):
            alone.append(await percent_of_a_core(server, SPAN))
            async with crowd(server.port, follow_body(), size=IDLE):
                await asyncio.sleep(2)
                waited_on.append(await percent_of_a_core(server, SPAN))
            await asyncio.sleep(2)
    return [
        Line(bench="idle", figure=Figure("CPU, idle", "% of a core", alone), floor=FLOOR),
        Line(
            bench="idle",
            figure=Figure(f"CPU, {IDLE:,} idle subscribers", "% of a core", waited_on),
            floor=FLOOR,
        ),
    ]
