"""A database that can't be used is named, without its password, and with what to do."""

import asyncio
import time
from collections.abc import Generator
from pathlib import Path

import psycopg
import pytest

from service.domain.errors import Unavailable
from service.store.opening import open_database
from service.store.postgres import opening
from service.store.postgres.listener import Listener
from service.store.postgres.poller import Poller
from tests.clock import FakeClock
from tests.postgres.addresses import database_of, with_database
from tests.postgres.cluster import Cluster
from tests.postgres.proxy import Proxy
from tests.postgres.server import Server
from tests.scenarios.raw import alter
from tests.services import Place

ADVICE = "--database or WORKFLOW_DATABASE"


async def refused(url: str, busy_timeout: float = 2) -> str:
    """Return what is said of a database that can't be used."""
    with pytest.raises(Unavailable) as caught:
        await open_database(url, busy_timeout=busy_timeout, clock=FakeClock())
    assert not caught.value.maybe_applied
    message = str(caught.value)
    assert "hush" not in message
    assert "\n" not in message
    assert ADVICE in message
    return message


def with_password(url: str) -> str:
    """Return the URL with a password in it."""
    return url.replace("@", ":hush@", 1)


async def test_one_that_is_not_there(postgres_server: Server) -> None:
    url = with_database(postgres_server.url, "no_such_database")
    message = await refused(with_password(url))
    assert "no_such_database on 127.0.0.1:" in message
    assert "does not exist" in message


async def test_a_server_that_is_not_there() -> None:
    message = await refused("postgresql://me:hush@127.0.0.1:9/wf")
    assert "wf on 127.0.0.1:9" in message
    assert "refused" in message


async def test_a_host_that_is_not_there() -> None:
    message = await refused("postgresql://me:hush@no-such-host.invalid/wf")
    assert "wf on no-such-host.invalid" in message


async def test_a_server_that_does_not_answer(behind: Place, proxy: Proxy) -> None:
    proxy.stall()
    begun = time.monotonic()
    message = await refused(with_password(behind.url), busy_timeout=1)
    assert time.monotonic() - begun < 10
    assert database_of(behind.url) in message
    assert "timeout" in message


async def test_a_password_that_is_wrong(cluster: Cluster) -> None:
    with psycopg.connect(cluster.url(), autocommit=True) as connection:
        connection.execute("CREATE ROLE me LOGIN PASSWORD 'another'")
        [(rules,)] = connection.execute("SHOW hba_file").fetchall()
        Path(rules).write_text(
            "host all me all scram-sha-256\nhost all all all trust\n", encoding="utf-8"
        )
        connection.execute("SELECT pg_reload_conf()")
    message = await refused(f"postgresql://me:hush@127.0.0.1:{cluster.port}/postgres")
    assert f"postgres on 127.0.0.1:{cluster.port}" in message
    assert "password authentication failed" in message


async def test_a_user_who_may_not_make_tables(url: str, postgres_server: Server) -> None:
    alter(postgres_server.url, "DROP ROLE IF EXISTS workflow_test_guest")
    alter(postgres_server.url, "CREATE ROLE workflow_test_guest LOGIN")
    try:
        guest = url.replace("//postgres@", "//workflow_test_guest:hush@")
        assert guest != url
        assert "permission denied" in await refused(guest)
    finally:
        alter(postgres_server.url, "DROP ROLE workflow_test_guest")


async def test_a_server_that_is_too_old(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_OLDEST", 990_000)
    message = await refused(with_password(url))
    assert "is too old: version 99 or a newer one is needed" in message
    assert database_of(url) in message


@pytest.fixture
def ascii_database(postgres_server: Server) -> Generator[str]:
    """A database that would take any bytes for text."""
    url = with_database(postgres_server.url, "workflow_test_ascii")
    drop = "DROP DATABASE IF EXISTS workflow_test_ascii WITH (FORCE)"
    alter(postgres_server.url, drop)
    alter(
        postgres_server.url,
        "CREATE DATABASE workflow_test_ascii ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' "
        "TEMPLATE template0",
    )
    yield url
    alter(postgres_server.url, drop)


async def test_an_encoding_that_is_none(ascii_database: str) -> None:
    message = await refused(with_password(ascii_database))
    assert "workflow_test_ascii on " in message
    assert "SQL_ASCII: make it with ENCODING 'UTF8'" in message


async def test_a_database_that_takes_no_writes(cluster: Cluster) -> None:
    cluster.read_only(True)
    assert "takes no writes" in await refused(cluster.url())


@pytest.mark.parametrize(
    ("pooled", "listens", "heard"),
    [(False, False, Listener), (True, True, Listener), (True, False, Poller)],
)
async def test_behind_a_pooler_it_asks_unless_it_is_told_a_way_past_it(
    url: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    pooled: bool,
    listens: bool,
    heard: type,
) -> None:
    monkeypatch.setattr(opening, "_look_over", lambda _: pooled)
    database = await open_database(
        url, busy_timeout=5, clock=FakeClock(), listen=url if listens else None
    )
    try:
        ended = asyncio.Event()
        database.listen(lambda position, events: ended.set())
        async with asyncio.timeout(10):
            await ended.wait()
        assert isinstance(database._listener, heard)  # type: ignore[attr-defined]
    finally:
        await database.close()
    assert ("WORKFLOW_LISTEN_DATABASE" in caplog.text) is (heard is Poller)
