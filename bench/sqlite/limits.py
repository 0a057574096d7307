"""What the machine can do with SQLite."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bench.in_flight import rate_of
from bench.plan import Plan
from bench.sqlite import rows, single_row
from bench.sqlite.files import path_of
from bench.sqlite.job_life import JobLife
from bench.sqlite.skeleton import Skeleton
from bench.turns import Measure

PLAIN = "single-row commits, sqlite3"
AIOSQLITE = "single-row commits, aiosqlite"
SKELETON = "skeleton enqueue, 100 in flight"
JOB_LIFE = "job life, 100-row commits"


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits, ready to be measured whenever it is their turn."""

    plan: Plan
    skeleton: Skeleton
    life: JobLife

    async def plain(self) -> float:
        """Return single-row durable commits a second."""
        with self.plan.lent("plain") as url:
            rows.create(path_of(url))
            return single_row.plain(path_of(url), self.plan.many(1_000))

    async def aiosqlite(self) -> float:
        """Return single-row durable commits a second through aiosqlite."""
        with self.plan.lent("aiosqlite") as url:
            rows.create(path_of(url))
            return await single_row.through_aiosqlite(path_of(url), self.plan.many(1_000))

    async def enqueue(self) -> float:
        """Return what the skeleton enqueues a second with 100 in flight."""
        total = self.plan.many(10_000)
        return await rate_of(self.skeleton.enqueue, total=total, in_flight=100)

    async def job_life(self) -> float:
        """Return the jobs a second that are inserted, claimed and finished."""
        return self.life.rate(self.plan.many(5_000))


@asynccontextmanager
async def limits(plan: Plan) -> AsyncGenerator[Mapping[str, Measure]]:
    """Open the files that the limits are measured on."""
    skeleton = Skeleton(path_of(plan.new_database("skeleton")))
    life = JobLife(path_of(plan.new_database("life")))
    machine = Limits(plan, skeleton, life)
    try:
        yield {
            PLAIN: machine.plain,
            AIOSQLITE: machine.aiosqlite,
            SKELETON: machine.enqueue,
            JOB_LIFE: machine.job_life,
        }
    finally:
        life.close()
        await skeleton.close()
