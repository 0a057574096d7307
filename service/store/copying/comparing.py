"""Two databases compared, by all that is in them."""

import asyncio
from collections.abc import Callable
from hashlib import blake2b

from pydantic_core import to_json

from service.store.copying.pages import pages
from service.store.copying.tables import Table
from service.store.database import Database


async def same(
    source: Database, target: Database, table: Table, told: Callable[[int], None]
) -> bool:
    """Return whether the table has the same rows in both; `told` hears of how many were read."""
    one, other = await asyncio.gather(
        _digest(source, table, lambda _: None), _digest(target, table, told)
    )
    return one == other


async def _digest(
    database: Database, table: Table, told: Callable[[int], None]
) -> tuple[int, bytes]:
    """Return how many rows there are, and a checksum over all columns in the order of the keys."""
    digest, done = blake2b(digest_size=16), 0
    told(done)
    async for rows in pages(database, table):
        digest.update(to_json(rows)[1:-1] + b",")  # the same, however rows fall into pages
        done += len(rows)
        told(done)
    return done, digest.digest()
