"""From a database URL to an open database."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from service.domain.clock import Clock
from service.domain.errors import Unavailable
from service.store.database import Database
from service.store.migrate import Purpose
from service.store.sqlite.database import open_sqlite, prepare_file
from service.store.urls import POSTGRES, SQLITE, described


async def open_database(
    url: str,
    *,
    busy_timeout: float,
    clock: Clock,
    poll: float = 0.08,
    listen: str | None = None,
    purpose: Purpose = Purpose.WORK,
) -> Database:
    """Open the database that the URL names, migrated; raises `Unavailable` or `ValueError`.

    `listen` and `poll` are how a process hears of others where a pooler stands before PostgreSQL:
    by another URL of the same database, or by asking each `poll` seconds.
    """
    if url.startswith(POSTGRES):
        with _driver():
            from service.store.postgres.opening import open_postgres
        return await open_postgres(
            url,
            listen=listen,
            busy_timeout=busy_timeout,
            poll=poll,
            clock=clock,
            purpose=purpose,
        )
    return await open_sqlite(_path(url), busy_timeout=busy_timeout, clock=clock, purpose=purpose)


def migrate_database(url: str, *, busy_timeout: float, clock: Clock) -> list[int]:
    """Make and migrate the database as needed; return the migrations that were applied."""
    if url.startswith(POSTGRES):
        with _driver():
            from service.store.postgres.opening import prepare_database
        return prepare_database(url, busy_timeout)[1]
    return prepare_file(_path(url), busy_timeout, clock)


def _path(url: str) -> Path:
    if not url.startswith(SQLITE) or len(url) == len(SQLITE):
        raise ValueError(
            f"{described(url)} is no database of ours: give sqlite:/// and the path of a file, or "
            "postgresql:// and where the server is."
        )
    return Path(url[len(SQLITE) :])


@contextmanager
def _driver() -> Generator[None]:
    """Say what to install when PostgreSQL's driver is not there."""
    try:
        yield
    except ImportError as error:
        raise Unavailable(
            f"PostgreSQL needs a package that is not installed here ({error}).",
            maybe_applied=False,
            advice="Install the driver with: pip install 'psycopg[binary]'.",
        ) from error
