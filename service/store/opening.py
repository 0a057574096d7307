"""From a database URL to an open database."""

from pathlib import Path

from service.domain.clock import Clock
from service.store.database import Database
from service.store.sqlite.database import open_sqlite

_SQLITE = "sqlite:///"


async def open_database(url: str, *, busy_timeout: float, clock: Clock) -> Database:
    """Open the database that the URL names, migrated; raises `Unavailable` or `ValueError`."""
    if not url.startswith(_SQLITE) or len(url) == len(_SQLITE):
        raise ValueError(f"{url!r} is not a database URL: give sqlite:/// and the path of a file.")
    path = Path(url[len(_SQLITE) :])
    return await open_sqlite(path, busy_timeout=busy_timeout, clock=clock)
