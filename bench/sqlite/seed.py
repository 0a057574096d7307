"""Fills a database with what has long ended, or waits elsewhere: straight into the tables."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from bench.sqlite import rows
from service.domain.events import mark_of

_CHUNK = 50_000
_DAY = 86_400_000_000
_LASTED = 4_000
_INSERT_FINISHED = """
INSERT INTO instances (id, name, queue, status, priority, ready, run_after, created_at, updated_at,
                       started_at, finished_at, max_attempts, max_lost, fence, action, input,
                       output)
VALUES (?1, 'noop', 'noop', 'COMPLETED', 0, 0, ?2, ?2, ?3, ?2, ?3, 1, 3, 1, 'noop', ?4, '1')
"""


def finished(path: Path, total: int) -> None:
    """Make a database with that many completed instances, and their events, of the last 20 days."""
    database = _unsafe(path)
    head = 0
    now = rows.CLOCK.now()
    for first in range(0, total, _CHUNK):
        size = min(_CHUNK, total - first)
        at = now - 20 * _DAY + 20 * _DAY * first // total
        ids = [rows.new_id() for _ in range(size)]
        database.execute("BEGIN")
        made = [(one, at, at + _LASTED, rows.INPUT) for one in ids]
        database.executemany(_INSERT_FINISHED, made)
        for kind, status in (("ENQUEUED", "PENDING"), ("STARTED", "RUNNING"), ("COMPLETED",) * 2):
            database.executemany(rows.INSERT_EVENT, rows.event_rows(ids, kind, status, at, head))
            head += size
        _commit(database, head)
    database.close()


def waiting(path: Path, total: int) -> None:
    """Make a database with that many pending instances in ten queues that nobody here empties.

    Half are of a workflow that this process knows, in queues that are paused; half of one that it
    doesn't know.
    """
    database = _unsafe(path)
    now = rows.CLOCK.now()
    placed = [_place(number) for number in range(total)]
    ids = [rows.new_id() for _ in range(total)]
    database.execute("BEGIN")
    database.executemany(rows.INSERT_INSTANCE, _waiting_rows(ids, placed, now))
    database.executemany(rows.INSERT_EVENT, rows.event_rows(ids, "ENQUEUED", "PENDING", now, 0))
    paused = {(queue, 1) for name, queue in placed if name == "noop"}
    database.executemany("INSERT INTO queues (name, paused) VALUES (?, ?)", sorted(paused))
    _commit(database, total)
    database.close()


def _place(number: int) -> tuple[str, str]:
    known = number % 2 == 0
    return ("noop" if known else "elsewhere", f"{'paused' if known else 'foreign'}-{number % 10}")


def _waiting_rows(ids: list[str], placed: list[tuple[str, str]], now: int) -> Iterator[rows.Row]:
    for one, (name, queue) in zip(ids, placed, strict=True):
        yield rows.instance_row(one, now, name=name, queue=queue)


def _unsafe(path: Path) -> sqlite3.Connection:
    rows.create(path)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = off")
    connection.execute("PRAGMA cache_size = -262144")
    return connection


def _commit(database: sqlite3.Connection, head: int) -> None:
    kind, instance_id, at = database.execute(
        "SELECT type, instance_id, at FROM events WHERE position = ?", (head,)
    ).fetchone()
    database.execute(rows.ADVANCE_HEAD, (head, mark_of(instance_id, kind, at)))
    database.execute("COMMIT")
