import asyncio

import asyncpg
import pytest

from tests.postgres.addresses import database_of
from tests.postgres.cluster import Cluster
from tests.postgres.databases import Databases
from tests.postgres.maker import PREFIX
from tests.postgres.server import Server

COUNT = "SELECT count(*) FROM prepared"
WHICH = "SELECT oid FROM pg_database WHERE datname = current_database()"
EXISTS = "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)"
SCHEMA = """
CREATE TABLE prepared (id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, n int UNIQUE);
CREATE TABLE below (id bigint NOT NULL REFERENCES prepared);
CREATE FUNCTION told() RETURNS int LANGUAGE sql AS 'SELECT 1';
INSERT INTO prepared (n) VALUES (10), (20);
"""
SPOILED = [
    "CREATE TABLE more (n int)",
    "CREATE INDEX ON prepared (n)",
    "ALTER TABLE prepared ADD COLUMN more int",
    "CREATE OR REPLACE FUNCTION told() RETURNS int LANGUAGE sql AS 'SELECT 2'",
    "DROP FUNCTION told",
    "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET jit = off', current_database()); END $$",
    "ANALYZE prepared",
    "INSERT INTO prepared (n) SELECT generate_series(100, 100000)",
]


async def ask(url: str, query: str, *params: object) -> object:
    connection = await asyncpg.connect(url, timeout=5)
    try:
        return await connection.fetchval(query, *params)
    finally:
        await connection.close()


async def migrate(url: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(SCHEMA)
    await connection.close()


def prepare(url: str) -> None:
    asyncio.run(migrate(url))


async def test_each_database_is_as_prepared_and_nobody_elses(server: Server) -> None:
    with Databases(server.url, prepare) as databases:
        first, second = databases.fresh(), databases.fresh()
        await ask(first, "DELETE FROM prepared")
        assert await ask(second, COUNT) == 2
        assert await ask(second, "SHOW server_encoding") == "UTF8"
        with pytest.raises(asyncpg.UndefinedTableError):
            await ask(databases.blank(), COUNT)


async def test_one_that_was_given_back_is_pristine_under_another_name(server: Server) -> None:
    urls: set[str] = set()
    places: set[object] = set()
    with Databases(server.url, prepare) as databases:
        for _ in range(6):
            url = databases.fresh()
            urls.add(url)
            places.add(await ask(url, WHICH))
            assert await ask(url, "SELECT array_agg(n ORDER BY id) FROM prepared") == [10, 20]
            assert await ask(url, "INSERT INTO prepared (n) VALUES (30) RETURNING id") == 3
            await ask(url, "INSERT INTO below VALUES (3)")
            databases.release(url)
    assert len(urls) == 6
    assert len(places) < 6


async def test_one_that_cannot_be_made_pristine_is_given_up(cluster: Cluster) -> None:
    with Databases(cluster.url(), prepare) as databases:
        for change in SPOILED:
            url = databases.fresh()
            spoiled = await ask(url, WHICH)
            await ask(url, change)
            databases.release(url)
            others = [databases.fresh() for _ in range(2)]
            assert spoiled not in [await ask(other, WHICH) for other in others], change
            for other in others:
                databases.release(other)


async def test_a_role_that_may_only_create_databases_gets_copies(cluster: Cluster) -> None:
    await ask(cluster.url(), "CREATE ROLE plain LOGIN CREATEDB")
    with Databases(cluster.url().replace("postgres@", "plain@"), prepare) as databases:
        for _ in range(4):
            url = databases.fresh()
            assert await ask(url, "INSERT INTO prepared (n) VALUES (30) RETURNING id") == 3
            databases.release(url)


async def test_whoever_is_in_a_database_that_is_given_back_is_put_out(server: Server) -> None:
    with Databases(server.url) as databases:
        url = databases.fresh()
        left = await asyncpg.connect(url)
        databases.release(url)
        with pytest.raises((asyncpg.PostgresError, asyncpg.InterfaceError, ConnectionError)):
            await left.fetchval("SELECT pg_sleep(10)")
        left.terminate()
    assert await ask(server.url, EXISTS, database_of(url)) is False


async def test_leftovers_of_the_dead_go_and_databases_of_the_living_stay(server: Server) -> None:
    dead = f"{PREFIX}gw9_999999999_1"
    await ask(server.url, f"CREATE DATABASE {dead}")
    with Databases(server.url) as living:
        url = living.fresh()
        with Databases(server.url):
            assert await ask(server.url, EXISTS, dead) is False
            assert await ask(server.url, EXISTS, database_of(url)) is True
