"""Opens a PostgreSQL database: reached, looked over and migrated."""

import asyncio
import logging
from dataclasses import replace
from functools import partial

import psycopg

from service.domain.clock import Clock
from service.domain.errors import Unavailable
from service.store.database import Transaction
from service.store.migrate import Purpose, migrate
from service.store.postgres.database import PostgresDatabase, PostgresSession
from service.store.postgres.link import Link
from service.store.urls import described

_OLDEST = 140_000

_log = logging.getLogger(__name__)


async def open_postgres(
    url: str,
    *,
    listen: str | None,
    busy_timeout: float,
    poll: float,
    clock: Clock,
    purpose: Purpose = Purpose.WORK,
) -> PostgresDatabase:
    """Open the database, migrated as needed; raises `Unavailable` when it can't be used.

    `listen` is the URL of the same database that leads past a pooler.
    """
    link, _ = await asyncio.to_thread(prepare_database, url, busy_timeout, purpose)
    ear: Link | None = Link(listen, busy_timeout) if listen is not None else link
    if link.pooled and listen is None:
        ear = None
        _log.warning(
            "A pooler stands before PostgreSQL, so other processes' commits are asked for every "
            "%g s. To hear of them at once, set WORKFLOW_LISTEN_DATABASE to a URL past it.",
            poll,
        )
    return PostgresDatabase(link, ear, clock, poll=poll)


def prepare_database(
    url: str, busy_timeout: float, purpose: Purpose = Purpose.WORK
) -> tuple[Link, list[int]]:
    """Look the database over and bring it up to date.

    Returns how to reach it, and the migrations that were applied; raises `Unavailable`.
    """
    link = Link(url, busy_timeout)
    try:
        link = replace(link, pooled=_look_over(link))
        session = PostgresSession(link)
        try:
            return link, session.transaction(partial(_bring_up_to_date, purpose=purpose))
        finally:
            session.close()
    except psycopg.Error as error:
        raise _unusable(url, str(error).strip().splitlines()[0]) from error
    except Unavailable as error:
        raise _unusable(url, error.reason, error.advice) from error


def _look_over(link: Link) -> bool:
    """Return whether a pooler stands in between; raises `Unavailable` for what we can't run on."""
    with link.connect() as connection:
        if connection.info.server_version < _OLDEST:
            raise Unavailable(
                f"PostgreSQL {connection.info.server_version // 10_000} is too old: "
                f"version {_OLDEST // 10_000} or a newer one is needed.",
                maybe_applied=False,
            )
        row = connection.execute(
            "SELECT pg_backend_pid(), current_setting('server_encoding')"
        ).fetchone()
        process, encoding = row or (0, "")
        if encoding != "UTF8":
            raise Unavailable(
                f"its encoding is {encoding}: make it with ENCODING 'UTF8'.", maybe_applied=False
            )
        # A pooler answers with a process number of its own making.
        return process != connection.info.backend_pid


def _bring_up_to_date(tx: Transaction, purpose: Purpose) -> list[int]:
    tx.all("lock_migrations")
    return migrate(tx, "service.store.postgres", purpose)


def _unusable(url: str, reason: str, advice: str | None = None) -> Unavailable:
    return Unavailable(
        f"The database {described(url)} can't be used: {reason}",
        maybe_applied=False,
        advice=advice or "Mend that, or give another URL as --database or WORKFLOW_DATABASE.",
    )
