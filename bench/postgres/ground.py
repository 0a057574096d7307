"""The benches on PostgreSQL: databases of their own, on a server that is there."""

from contextlib import AbstractAsyncContextManager

import psycopg

from bench.ground import Tap
from bench.postgres import seed, single_row
from bench.postgres.backlog import backlogs
from bench.postgres.databases import Databases
from bench.postgres.limits import limits
from bench.postgres.standards import STANDARDS
from bench.postgres.tap import tap
from bench.turns import Measure

_DURABLE = ("fsync", "synchronous_commit", "full_page_writes")


class PostgresGround:
    """A server, by the URL of any database on it."""

    standards = STANDARDS
    limits = staticmethod(limits)
    backlogs = staticmethod(backlogs)

    def __init__(self, server: str) -> None:
        self._databases = Databases(server)
        with psycopg.connect(server, autocommit=True) as connection:
            release = connection.info.parameter_status("server_version")
            settings = {name: _shown(connection, name) for name in _DURABLE}
        self.title = f"PostgreSQL {release}, {settings}"

    def new_database(self, name: str) -> str:
        """Make a database and return its URL."""
        return self._databases.new(name)

    def drop(self, url: str) -> None:
        """Drop a database."""
        self._databases.drop(url)

    def close(self) -> None:
        """Drop those that are left."""
        self._databases.close()

    def commits(self, url: str) -> AbstractAsyncContextManager[Measure]:
        """Connect what makes a single durable commit."""
        return single_row.commits(url)

    def tap(self, url: str) -> AbstractAsyncContextManager[Tap]:
        """Open a way to a database on which statements are counted."""
        return tap(url)

    def fill_with_finished(self, url: str, total: int) -> None:
        """Give an empty database completed instances."""
        seed.finished(url, total)

    def fill_with_waiting(self, url: str, total: int) -> None:
        """Give an empty database pending instances in other queues."""
        seed.waiting(url, total)

    def empty_queue(self, url: str) -> None:
        """Take away what was enqueued for nobody."""
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("DELETE FROM instances WHERE queue = 'noop' AND status = 'PENDING'")
        seed.tidy(url)


def _shown(connection: psycopg.Connection, name: str) -> str:
    row = connection.execute("SELECT current_setting(%s)", (name,)).fetchone()
    assert row is not None
    return row[0]
