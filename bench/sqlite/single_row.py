"""Single-row durable commits: one row of ours inserted, one fsync, and again."""

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import aiosqlite

from bench.sqlite import rows
from bench.turns import Measure


def plain(path: Path, total: int) -> float:
    """Return the commits a second of plain sqlite3."""
    connection = rows.connect(path)
    start = time.perf_counter()
    for _ in range(total):
        row = rows.instance_row(rows.new_id(), rows.CLOCK.now())
        connection.execute(rows.INSERT_INSTANCE, row)
    rate = total / (time.perf_counter() - start)
    connection.close()
    return rate


@asynccontextmanager
async def commits(path: Path) -> AsyncGenerator[Measure]:
    """Connect what makes one commit by plain sqlite3 and returns how long it took, in ms."""
    rows.create(path)
    connection = rows.connect(path)

    async def commit() -> float:
        row = rows.instance_row(rows.new_id(), rows.CLOCK.now())
        start = time.perf_counter()
        connection.execute(rows.INSERT_INSTANCE, row)
        return (time.perf_counter() - start) * 1000

    yield commit
    connection.close()


async def through_aiosqlite(path: Path, total: int) -> float:
    """Return the commits a second through aiosqlite, each awaited before the next is asked for."""
    async with aiosqlite.connect(path, isolation_level=None) as connection:
        await connection.execute("PRAGMA synchronous = full")
        start = time.perf_counter()
        for _ in range(total):
            row = rows.instance_row(rows.new_id(), rows.CLOCK.now())
            await connection.execute(rows.INSERT_INSTANCE, row)
        return total / (time.perf_counter() - start)
