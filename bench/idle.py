"""What processes take while nothing happens: CPU, and statements where they can be counted.

A server is measured alone and with subscribers that wait, and a worker of its own beside it.
"""

import asyncio
from collections import defaultdict

from bench.crowd import crowd
from bench.figure import Figure, Line
from bench.ground import Tap
from bench.plan import Plan
from bench.process import Running
from bench.server import service, worker
from bench.standards import judged
from bench.subscriber import follow_body
from bench.subscribers import IDLE, delivered

SPAN = 10.0
SERVER = "idle server"
CROWDED = f"server with {IDLE:,} idle subscribers"
WORKER = "idle worker"
CPU = "% of a core"
STATEMENTS = "statements/s"


class Idle:
    """A process that has nothing to do, and its way to the database."""

    def __init__(self, process: Running, tap: Tap) -> None:
        self._process = process
        self._tap = tap

    async def watched(self) -> dict[str, float]:
        """Return what it takes in a while, by unit."""
        before = self._counts()
        await asyncio.sleep(SPAN)
        return {unit: (count - before[unit]) / SPAN for unit, count in self._counts().items()}

    def _counts(self) -> dict[str, float]:
        counts = {CPU: self._process.cpu_seconds * 100}
        if self._tap.statements is not None:
            counts[STATEMENTS] = self._tap.statements()
        return counts


def named(who: str, unit: str) -> str:
    """Return the name of a figure."""
    return f"{who}: {unit}"


async def run(plan: Plan) -> list[Line]:
    """Measure each, a few times."""
    runs: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    url = plan.new_database("idle")
    async with (
        plan.ground.tap(url) as tap_of_server,
        plan.ground.tap(url) as tap_of_worker,
        service(tap_of_server.url) as server,
        worker(tap_of_worker.url) as process,
    ):
        serving, working = Idle(server.process, tap_of_server), Idle(process, tap_of_worker)
        await delivered(server, 10, 10)
        await asyncio.sleep(2)
        for _ in range(min(plan.rounds, 3)):
            alone, beside = await asyncio.gather(serving.watched(), working.watched())
            async with crowd(server.port, follow_body(), size=IDLE):
                await asyncio.sleep(2)
                crowded = await serving.watched()
            await asyncio.sleep(2)
            for who, taken in ((SERVER, alone), (CROWDED, crowded), (WORKER, beside)):
                for unit, amount in taken.items():
                    runs[who, unit].append(amount)
    figures = {named(*key): Figure(named(*key), key[1], values) for key, values in runs.items()}
    return judged("idle", figures, plan.ground.standards)
