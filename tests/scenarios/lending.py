"""A database for as long as somebody needs it, and processes on one."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.postgres.databases import Databases
from tests.processes import Crew


@contextmanager
def lent(request: pytest.FixtureRequest, kind: str, folder: Path) -> Generator[str]:
    """Have a database of one's own until the end of the block; yield its URL."""
    if kind == "sqlite":
        yield f"sqlite:///{folder}/wf.db"
        return
    databases: Databases = request.getfixturevalue("postgres_databases")
    url = databases.fresh()
    try:
        yield url
    finally:
        databases.release(url)


@contextmanager
def manned(folder: Path, database: str) -> Generator[Crew]:
    """Have processes until the end of the block."""
    crew = Crew(folder, database)
    try:
        yield crew
    finally:
        crew.end()
