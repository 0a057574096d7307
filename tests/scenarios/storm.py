"""What breaks in the chaos run: processes are killed, links are cut, PostgreSQL starts again."""

import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.postgres.cluster import Cluster, Mode
from tests.postgres.proxy import Proxy
from tests.processes import Crew, Process
from tests.scenarios.stormy import STORMY

WORKERS, APIS = 4, 2


@dataclass(slots=True)
class Fleet:
    """The processes that are there now; `deaths` tells when each of those that were had died."""

    crew: Crew
    ports: Sequence[int]
    workers: list[Process] = field(default_factory=list[Process])
    apis: list[Process] = field(default_factory=list[Process])
    deaths: dict[int, float] = field(default_factory=dict[int, float])

    def launch(self) -> None:
        """Start all of them."""
        self.workers = [self.crew.worker(authors=STORMY) for _ in range(WORKERS)]
        self.apis = [self.crew.api(authors=STORMY, port=port) for port in self.ports]

    def kill(self, number: int) -> None:
        """Kill one of them, whatever it is doing, and start another one in its place."""
        group, index = (self.workers, number) if number < WORKERS else (self.apis, number - WORKERS)
        victim = group[index]
        victim.kill()
        self.deaths[victim.process.pid] = time.monotonic()
        group[index] = (
            self.crew.worker(authors=STORMY)
            if group is self.workers
            else self.crew.api(authors=STORMY, port=victim.port)
        )


class Storm:
    """Breaks things at random for so many seconds; PostgreSQL `restarts` times, evenly spread."""

    def __init__(
        self, fleet: Fleet, cluster: Cluster, proxy: Proxy, chance: random.Random, seconds: float
    ) -> None:
        self._fleet = fleet
        self._cluster = cluster
        self._proxy = proxy
        self._chance = chance
        self._seconds = seconds
        self.kills = self.cuts = self.restarts = 0

    async def rage(self, restarts: int) -> None:
        """Break what can be broken, and leave everything running."""
        async with asyncio.timeout(self._seconds + 120), asyncio.TaskGroup() as tasks:
            end = time.monotonic() + self._seconds
            tasks.create_task(self._kill(end))
            tasks.create_task(self._cut(end))
            tasks.create_task(self._restart(restarts))

    async def _kill(self, end: float) -> None:
        while await self._pause(0.5, 2.0, end):
            self._fleet.kill(self._chance.randrange(WORKERS + APIS))
            self.kills += 1

    async def _cut(self, end: float) -> None:
        while await self._pause(0.1, 0.8, end):
            if self._chance.random() < 0.1:
                self.cuts += self._proxy.cut()
            else:
                self.cuts += self._proxy.cut_one(oldest=self._chance.random() < 0.3)

    async def _restart(self, restarts: int) -> None:
        modes: tuple[Mode, Mode] = ("immediate", "fast")
        for number in range(restarts):
            await asyncio.sleep(self._seconds / (restarts + 1))
            await asyncio.to_thread(self._cluster.restart, modes[number % 2])
            self.restarts += 1

    async def _pause(self, least: float, most: float, end: float) -> bool:
        await asyncio.sleep(self._chance.uniform(least, most))
        return time.monotonic() < end
