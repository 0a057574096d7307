"""What the machine can do with PostgreSQL."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

from bench.plan import Plan
from bench.postgres import single_row
from bench.process import output_of
from bench.turns import Measure
from bench.venv import Venv

SINGLE = "single-row commits, psycopg, 1 connection"
FIFTY = "single-row commits, psycopg, 50 connections"
SKELETON = "skeleton enqueue, 100 in flight"
SKELETON_NOOP = "skeleton, one-action instances"
SKELETON_THREE = "skeleton, three-action instances"
_KINDS = {SKELETON: "enqueue", SKELETON_NOOP: "noop", SKELETON_THREE: "three"}
_VENV = Venv("asyncpg", ("asyncpg", "uvloop"), ("asyncpg", "uvloop"))


@asynccontextmanager
async def limits(plan: Plan) -> AsyncGenerator[Mapping[str, Measure]]:
    """Yield each limit; those of the skeleton are left out where its driver can't be installed."""

    def commits(connections: int, total: int) -> Measure:
        async def measure() -> float:
            with plan.lent("commits") as url:
                return await asyncio.to_thread(single_row.rate, url, total, connections)

        return measure

    def skeleton(python: str, kind: str) -> Measure:
        async def measure() -> float:
            with plan.lent("skeleton") as url:
                command = ("-m", "bench.postgres.skeleton", url, kind, str(plan.many(20_000)))
                return float(json.loads(await output_of(python, command, within=120)))

        return measure

    found = {SINGLE: commits(1, plan.many(1_000)), FIFTY: commits(50, plan.many(10_000))}
    python = await _VENV.install(plan)
    if python is not None:
        found |= {name: skeleton(str(python), kind) for name, kind in _KINDS.items()}
    yield found
