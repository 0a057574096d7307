import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from tests.postgres.proxy import Proxy

LOST = (ConnectionError, asyncpg.PostgresConnectionError, asyncpg.InterfaceError)


@asynccontextmanager
async def connected(url: str) -> AsyncGenerator[asyncpg.Connection]:
    connection = await asyncpg.connect(url, timeout=5)
    try:
        yield connection
    finally:
        connection.terminate()
        await asyncio.sleep(0)


async def count(url: str) -> object:
    async with connected(url) as connection:
        return await connection.fetchval("SELECT count(*) FROM notes")


@pytest.fixture
async def notes(database: str) -> str:
    """The URL of a database with a table."""
    async with connected(database) as connection:
        await connection.execute("CREATE TABLE notes (n int)")
    return database


async def test_a_commit_whose_answer_is_lost_was_done(proxy: Proxy, notes: str) -> None:
    async with connected(proxy.url(notes)) as connection, connected(proxy.url(notes)) as other:
        trap = proxy.cut_after(b"commit")
        with pytest.raises(LOST):
            async with connection.transaction():
                await connection.execute("INSERT INTO notes VALUES (1)")
        assert trap.sprung == 1
        assert await count(notes) == 1
        async with other.transaction():
            await other.execute("INSERT INTO notes VALUES (2)")
        assert await count(proxy.url(notes)) == 2


async def test_a_prepared_statement_is_cut_when_executed_not_when_prepared(
    proxy: Proxy, notes: str
) -> None:
    async with connected(proxy.url(notes)) as connection:
        trap = proxy.cut_after(b"INSERT INTO notes")
        insert = await connection.prepare("INSERT INTO notes VALUES ($1)")
        assert trap.sprung == 0
        with pytest.raises(LOST):
            await insert.fetchval(1)
        assert await count(notes) == 1


async def test_a_commit_that_never_arrives_was_not_done(proxy: Proxy, notes: str) -> None:
    async with connected(proxy.url(notes)) as connection:
        trap = proxy.cut_before(lambda text: text.startswith(b"COMMIT"))
        with pytest.raises(LOST):
            async with connection.transaction():
                await connection.execute("INSERT INTO notes VALUES (1)")
        assert trap.wait()
        assert await count(notes) == 0


async def test_links_are_counted_and_cut(proxy: Proxy, notes: str) -> None:
    url = proxy.url(notes)
    async with connected(url) as first, connected(url) as second, connected(url) as third:
        assert proxy.links == 3
        assert proxy.cut_one() == 1
        with pytest.raises(LOST):
            await first.execute("SELECT 1")
        await second.execute("SELECT 1")
        assert proxy.cut() == 2
        assert proxy.links == 0
        for connection in (second, third):
            with pytest.raises(LOST):
                await connection.execute("SELECT 1")


async def test_nothing_flows_while_stalled(proxy: Proxy, notes: str) -> None:
    async with connected(proxy.url(notes)) as connection:
        proxy.stall()
        late = asyncio.ensure_future(asyncpg.connect(proxy.url(notes)))
        asked = asyncio.ensure_future(connection.fetchval("SELECT 1"))
        await asyncio.sleep(0.1)
        assert not asked.done()
        assert not late.done()
        proxy.resume()
        assert await asked == 1
        await (await late).close()


async def test_new_links_are_refused_and_old_ones_stay(proxy: Proxy, notes: str) -> None:
    async with connected(proxy.url(notes)) as connection:
        proxy.refuse()
        with pytest.raises(ConnectionRefusedError):
            await asyncpg.connect(proxy.url(notes))
        assert await connection.fetchval("SELECT 1") == 1
        proxy.accept()
        assert await count(proxy.url(notes)) == 0


async def test_a_slow_link_delays_both_directions(proxy: Proxy, notes: str) -> None:
    async with connected(proxy.url(notes)) as connection:
        proxy.slow(0.1)
        began = time.monotonic()
        await connection.execute("SELECT 1")
        assert time.monotonic() - began >= 0.2
