"""What a test asks and does behind the service's back, on either database.

Text has `?` for each param. Booleans are TRUE and FALSE, which both understand.
"""

import sqlite3
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg

from service.store.urls import SQLITE

_EVERYTHING = "LOCK TABLE instances, queues, hooks, requests, log IN EXCLUSIVE MODE"


def is_sqlite(database: str) -> bool:
    """Tell what kind of database a URL leads to."""
    return database.startswith(SQLITE)


def file_of(database: str) -> Path:
    """Return the file of an SQLite database."""
    assert is_sqlite(database), database
    return Path(database.removeprefix(SQLITE))


def rows(database: str, query: str, *params: object) -> list[tuple[Any, ...]]:
    """Return what a query of the test's own finds."""
    if is_sqlite(database):
        with closing(_file(database)) as raw:
            return raw.execute(query, params).fetchall()
    with psycopg.connect(database, autocommit=True) as raw:
        return raw.execute(_numbered(query), params).fetchall()


def alter(database: str, statement: str, *params: object) -> None:
    """Change what is there."""
    if is_sqlite(database):
        with closing(_file(database)) as raw:
            raw.execute(statement, params)
        return
    with psycopg.connect(database, autocommit=True) as raw:
        raw.execute(_numbered(statement), params)


@contextmanager
def busy(database: str) -> Generator[None]:
    """Keep everybody from writing for the block."""
    if is_sqlite(database):
        with closing(_file(database)) as raw:
            raw.execute("BEGIN IMMEDIATE")
            yield
            raw.execute("ROLLBACK")
        return
    with psycopg.connect(database) as raw:
        raw.execute(_EVERYTHING)
        yield
        raw.rollback()


def _file(database: str) -> sqlite3.Connection:
    raw = sqlite3.connect(file_of(database), isolation_level=None, timeout=10)
    raw.create_function("workflow_now", 0, lambda: time.time_ns() // 1000)
    return raw


def _numbered(text: str) -> Any:
    return text.replace("%", "%%").replace("?", "%s")
