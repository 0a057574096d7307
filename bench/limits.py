"""What the machine can do: the yardsticks of all the rest."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bench import rows, single_row
from bench.figure import Line
from bench.in_flight import rate_of
from bench.job_life import JobLife
from bench.plan import Plan
from bench.skeleton import Skeleton
from bench.turns import take_turns

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
        path = self.plan.new_file("plain")
        rows.create(path)
        return single_row.plain(path, self.plan.many(1_000))

    async def aiosqlite(self) -> float:
        """Return single-row durable commits a second through aiosqlite."""
        path = self.plan.new_file("aiosqlite")
        rows.create(path)
        return await single_row.through_aiosqlite(path, self.plan.many(1_000))

    async def enqueue(self) -> float:
        """Return what the skeleton enqueues a second with 100 in flight."""
        total = self.plan.many(10_000)
        return await rate_of(self.skeleton.enqueue, total=total, in_flight=100)

    async def job_life(self) -> float:
        """Return the jobs a second that are inserted, claimed and finished."""
        return self.life.rate(self.plan.many(5_000))


@asynccontextmanager
async def limits(plan: Plan) -> AsyncGenerator[Limits]:
    """Open the files that the limits are measured on."""
    skeleton = Skeleton(plan.new_file("skeleton"))
    life = JobLife(plan.new_file("life"))
    try:
        yield Limits(plan, skeleton, life)
    finally:
        life.close()
        await skeleton.close()


async def run(plan: Plan) -> list[Line]:
    """Measure all of them."""
    async with limits(plan) as machine:
        cases = {
            PLAIN: machine.plain,
            AIOSQLITE: machine.aiosqlite,
            SKELETON: machine.enqueue,
            JOB_LIFE: machine.job_life,
        }
        figures = await take_turns(cases, rounds=plan.rounds, unit="/s")
    return [Line(bench="limits", figure=figure) for figure in figures.values()]
