"""PostgreSQL's judging clock, moved by tests: what the service's migrations make, and a clock."""

import asyncio
from types import TracebackType
from typing import Self

import psycopg

from service.runtime.clock import SystemClock
from service.store.opening import open_database

_CLOCK = """
CREATE TABLE test_clock (now bigint NOT NULL);
CREATE OR REPLACE FUNCTION workflow_now() RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT now FROM test_clock),
                    (extract(epoch FROM statement_timestamp()) * 1000000)::bigint)
$$;
"""
"""While the table is empty the real clock judges, as it does in use."""


def prepare(url: str) -> None:
    """Migrate a database, and give it a clock that can be set."""
    asyncio.run(_migrate(url))
    with psycopg.connect(url) as connection:
        connection.execute(_CLOCK)


async def _migrate(url: str) -> None:
    database = await open_database(url, busy_timeout=5, clock=SystemClock())
    await database.close()


class Judge:
    """Sets the clock of one database; a fake clock calls `set` when it moves."""

    def __init__(self, url: str, now: int) -> None:
        self._connection = psycopg.connect(url, autocommit=True)
        self._connection.execute("SET synchronous_commit = off")
        self._connection.execute("INSERT INTO test_clock VALUES (%s)", (now,))

    def set(self, now: int) -> None:
        """Let the database judge by this instant from now on."""
        self._connection.execute("UPDATE test_clock SET now = %s", (now,))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()
