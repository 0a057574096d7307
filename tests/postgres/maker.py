"""Makes, renames and drops the databases of one process of a test run, and those of dead ones.

They are named `workflow_test_<worker>_<pid>_<n>`. A maker holds a lock in the server for as long
as it lives, by which others know its databases from leftovers, on whatever machine it is.
"""

import asyncio
import os
from itertools import count

import asyncpg

PREFIX = "workflow_test_"

_OURS = "SELECT datname FROM pg_database WHERE starts_with(datname, $1)"
_HOLD = "SELECT pg_advisory_lock_shared(hashtextextended($1, 0))"
_SEIZE = "SELECT pg_try_advisory_lock(hashtextextended($1, 0))"
_LET_GO = "SELECT pg_advisory_unlock(hashtextextended($1, 0))"
_EVICT = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE datname = $1 AND pid <> pg_backend_pid()
"""
_MAY_ALL = "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"

_numbers = count(1)


class Maker:
    """One connection to the server, on which one statement runs at a time."""

    def __init__(self, connection: asyncpg.Connection, *, may_all: bool) -> None:
        self.may_all = may_all
        self._connection = connection
        self._turn = asyncio.Lock()

    @classmethod
    async def connect(cls, url: str) -> "Maker":
        """Connect to the server at a URL, and drop the databases of owners that live no more."""
        connection = await asyncpg.connect(url, server_settings={"synchronous_commit": "off"})
        maker = cls(connection, may_all=await connection.fetchval(_MAY_ALL))
        await maker._clear()
        await connection.execute(_HOLD, _owner())
        return maker

    async def create(self, template: str) -> str:
        """Make a database in UTF8, with the locale that the server has, and return its name."""
        return await self._named(
            "CREATE DATABASE {name} TEMPLATE {other} ENCODING 'UTF8'", template
        )

    async def rename(self, name: str) -> str:
        """Put everybody out of a database, and give it a name that nobody knows."""
        while await self._ask(_EVICT, name):
            await asyncio.sleep(0.001)
        return await self._named("ALTER DATABASE {other} RENAME TO {name}", name)

    async def drop(self, name: str) -> None:
        """Drop a database, whoever is in it."""
        await self._execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    async def close(self) -> None:
        """Let go of the server."""
        await self._connection.close()

    async def _named(self, statement: str, other: str) -> str:
        while True:
            name = f"{_owner()}{next(_numbers)}"
            try:
                await self._execute(statement.format(name=name, other=other))
            except asyncpg.DuplicateDatabaseError:
                continue  # a process of that id on another machine
            return name

    async def _clear(self) -> None:
        names = [row["datname"] for row in await self._connection.fetch(_OURS, PREFIX)]
        for owner in {name.rstrip("0123456789") for name in names}:
            if await self._ask(_SEIZE, owner):
                for name in names:
                    if name.startswith(owner):
                        await self.drop(name)
                await self._ask(_LET_GO, owner)

    async def _ask(self, query: str, *params: str) -> object:
        async with self._turn:
            return await self._connection.fetchval(query, *params)

    async def _execute(self, statement: str) -> None:
        async with self._turn:
            await self._connection.execute(statement)


def _owner() -> str:
    return f"{PREFIX}{os.environ.get('PYTEST_XDIST_WORKER', 'main')}_{os.getpid()}_"
