"""The PostgreSQL server that tests use: one that is there, or else one of the run's own.

In this order: the one that WORKFLOW_TEST_POSTGRES names; one on this machine at port 5432 that
takes us without a password; one that is started from PostgreSQL's programs for this run, all of
whose processes share it. If there is none, tests fail and say what to do: none is ever skipped.
"""

import getpass
import os
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import asyncpg

from tests.postgres.addresses import LOCALHOST
from tests.postgres.aside import Aside
from tests.postgres.clusters import shared_cluster

VARIABLE = "WORKFLOW_TEST_POSTGRES"

_REFUSED = (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, ValueError)
_MAY_CREATE = "SELECT rolsuper OR rolcreatedb FROM pg_roles WHERE rolname = current_user"


class NoServer(Exception):
    """No server for tests was found; the message says what to do."""


@dataclass(frozen=True)
class Server:
    """A server on which we may create databases; `origin` says how it was found."""

    url: str
    version: str
    origin: str


@contextmanager
def found_server() -> Generator[Server]:
    """Find the server of the tests, and have it until the block ends."""
    if url := os.environ.get(VARIABLE):
        yield named_server(url)
    elif server := _local_server():
        yield server
    else:
        with _own_server() as own:
            yield own


def named_server(url: str) -> Server:
    """Return the server at a URL that somebody chose; nothing else will do."""
    try:
        return _at(url, VARIABLE)
    except _REFUSED as refused:
        raise NoServer(
            f"The PostgreSQL server that {VARIABLE} names can't be used ({_words(refused)}). Start "
            f"it, name another (postgresql://user@host:port/postgres), or unset {VARIABLE}, to "
            f"have one found at {LOCALHOST}:5432 or started from PostgreSQL's programs."
        ) from refused


def _local_server() -> Server | None:
    for user in dict.fromkeys(("postgres", getpass.getuser())):
        try:
            return _at(f"postgresql://{user}@{LOCALHOST}:5432/postgres", f"{LOCALHOST}:5432")
        except _REFUSED:
            continue
    return None


@contextmanager
def _own_server() -> Generator[Server]:
    with ExitStack() as ends:
        try:
            cluster = ends.enter_context(shared_cluster())
        except (LookupError, RuntimeError, OSError) as failed:
            raise NoServer(
                f"No PostgreSQL server for the tests: {VARIABLE} is not set, none at "
                f"{LOCALHOST}:5432 takes us without a password, and none could be started "
                f"({_words(failed)}). Install the development requirements (`pip install -e "
                f"'.[dev]'`), start a server, or name one: "
                f"{VARIABLE}=postgresql://user@host:port/postgres."
            ) from failed
        yield _at(cluster.url(), str(cluster.binaries.folder))


def _at(url: str, origin: str) -> Server:
    with Aside("server") as aside:
        return Server(url, aside.run(_asked(url)), origin)


async def _asked(url: str) -> str:
    connection = await asyncpg.connect(url, timeout=5)
    try:
        if not await connection.fetchval(_MAY_CREATE):
            raise PermissionError("its user may not create databases: ALTER ROLE … CREATEDB")
        return await connection.fetchval("SHOW server_version")
    finally:
        await connection.close()


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__
