"""A database with a long past, made in no time."""

import asyncio

from bench.postgres import seed as postgres
from bench.sqlite import seed as sqlite
from tests.scenarios.raw import file_of, is_sqlite


async def fill_with_finished(database: str, total: int) -> None:
    """Give a database that many completed instances, and their events, of the last 20 days."""
    if is_sqlite(database):
        await asyncio.to_thread(sqlite.finished, file_of(database), total)
    else:
        await asyncio.to_thread(postgres.finished, database, total)
