"""Single-row durable commits through psycopg: a row inserted, one flush of the log, and again."""

import threading
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import ExitStack, asynccontextmanager

import psycopg

from bench.turns import Measure

_TABLE = """
CREATE TABLE IF NOT EXISTS run (
    id uuid PRIMARY KEY, name text, queue text, status text, params text, created_at timestamptz
)
"""
_INSERT = """
INSERT INTO run VALUES (gen_random_uuid(), 'noop', 'noop', 'PENDING', %s, now())
"""
_PARAMS = '{"number":1,"text":"0123456789"}'


def rate(url: str, total: int, connections: int) -> float:
    """Return the commits a second of so many connections, each in a thread of its own."""
    with ExitStack() as stack:
        opened = [
            stack.enter_context(psycopg.connect(url, autocommit=True)) for _ in range(connections)
        ]
        opened[0].execute(_TABLE)
        left = iter(range(total))
        threads = [threading.Thread(target=_insert, args=(one, left)) for one in opened]
        start = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return total / (time.perf_counter() - start)


def _insert(connection: psycopg.Connection, left: Iterator[int]) -> None:
    for _ in left:
        connection.execute(_INSERT, (_PARAMS,))


@asynccontextmanager
async def commits(url: str) -> AsyncGenerator[Measure]:
    """Connect what makes one commit and returns how long it took, in ms."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute(_TABLE)

        async def commit() -> float:
            start = time.perf_counter()
            await connection.execute(_INSERT, (_PARAMS,))
            return (time.perf_counter() - start) * 1000

        yield commit
