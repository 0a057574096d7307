"""Single-row durable commits: one row of ours inserted, one fsync, and again."""

import asyncio
import time
from pathlib import Path

import aiosqlite

from bench import rows


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


async def paced(path: Path, total: int, every: float) -> list[float]:
    """Return how long each of some commits took, in ms, made one each `every` seconds."""
    connection = rows.connect(path)
    took: list[float] = []
    for _ in range(total):
        row = rows.instance_row(rows.new_id(), rows.CLOCK.now())
        start = time.perf_counter()
        connection.execute(rows.INSERT_INSTANCE, row)
        took.append((time.perf_counter() - start) * 1000)
        await asyncio.sleep(every)
    connection.close()
    return sorted(took)


async def through_aiosqlite(path: Path, total: int) -> float:
    """Return the commits a second through aiosqlite, each awaited before the next is asked for."""
    async with aiosqlite.connect(path, isolation_level=None) as connection:
        await connection.execute("PRAGMA synchronous = full")
        start = time.perf_counter()
        for _ in range(total):
            row = rows.instance_row(rows.new_id(), rows.CLOCK.now())
            await connection.execute(rows.INSERT_INSTANCE, row)
        return total / (time.perf_counter() - start)
