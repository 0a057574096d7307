"""Single-row durable commits: one row of ours inserted, one fsync, and again."""

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


async def through_aiosqlite(path: Path, total: int) -> float:
    """Return the commits a second through aiosqlite, each awaited before the next is asked for."""
    async with aiosqlite.connect(path, isolation_level=None) as connection:
        await connection.execute("PRAGMA synchronous = full")
        start = time.perf_counter()
        for _ in range(total):
            row = rows.instance_row(rows.new_id(), rows.CLOCK.now())
            await connection.execute(rows.INSERT_INSTANCE, row)
        return total / (time.perf_counter() - start)
