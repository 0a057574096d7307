"""Fills a database with what has long ended, or waits elsewhere: straight into the tables."""

import asyncio

import psycopg

from service.domain.events import mark_of
from service.runtime.clock import SystemClock
from service.store.opening import open_database

_PATIENCE = 5.0
_CLOCK = SystemClock()
_SPAN = 20 * 86_400_000_000
_LASTED = 4_000
_INPUT = '{"number":1,"text":"0123456789"}'
_SEEDED = """
CREATE TEMP TABLE seeded AS
SELECT n, at,
       concat_ws('-', left(hex, 8), right(hex, 4), '7' || substr(chance, 1, 3),
                 '8' || substr(chance, 4, 3), substr(chance, 7, 12)) AS id
  FROM generate_series(1, %(total)s) AS n,
       LATERAL (SELECT (%(first)s + %(span)s * n / %(total)s)::bigint AS at) AS moment,
       LATERAL (SELECT lpad(to_hex(at / 1000), 12, '0') AS hex, md5(n::text) AS chance) AS pieces
"""
_FINISHED = """
INSERT INTO instances (id, name, queue, status, priority, ready, run_after, created_at, updated_at,
                       started_at, finished_at, max_attempts, max_lost, fence, action, input,
                       output)
SELECT id, 'noop', 'noop', 'COMPLETED', 0, FALSE, at, at, at + %(lasted)s, at, at + %(lasted)s, 1,
       3, 1, 'noop', %(input)s, '1'
  FROM seeded ORDER BY n
"""
_WAITING = """
INSERT INTO instances (id, name, queue, status, priority, ready, run_after, created_at, updated_at,
                       max_attempts, max_lost, action, input)
SELECT id, CASE n %% 2 WHEN 0 THEN 'noop' ELSE 'elsewhere' END,
       CASE n %% 2 WHEN 0 THEN 'paused-' ELSE 'foreign-' END || n %% 10,
       'PENDING', 0, TRUE, at, at, at, 1, 3, 'noop', %(input)s
  FROM seeded ORDER BY n
"""
_PAUSED = """
INSERT INTO queues (name, paused) SELECT DISTINCT queue, TRUE FROM instances WHERE name = 'noop'
"""
_EVENTS = """
INSERT INTO events (position, type, instance_id, name, queue, status, action, attempt, at)
SELECT (n - 1) * cardinality(%(types)s::text[]) + k, type, id, i.name, i.queue, told.status,
       'noop', 1, at
  FROM seeded JOIN instances i USING (id),
       unnest(%(types)s::text[], %(statuses)s::text[]) WITH ORDINALITY AS told (type, status, k)
 ORDER BY 1
"""
_LAST = "SELECT position, instance_id, type, at FROM events ORDER BY position DESC LIMIT 1"
_ADVANCE = "UPDATE log SET head = %s, head_mark = %s"


def finished(url: str, total: int) -> None:
    """Give a database that many completed instances, and their events, of the last 20 days."""
    _create(url)
    with psycopg.connect(url) as connection:
        _seed(connection, total, _SPAN)
        connection.execute(_FINISHED, {"lasted": _LASTED, "input": _INPUT})
        _tell(connection, {"ENQUEUED": "PENDING", "STARTED": "RUNNING", "COMPLETED": "COMPLETED"})
    tidy(url)


def waiting(url: str, total: int) -> None:
    """Give a database that many pending instances in ten queues that nobody here empties."""
    _create(url)
    with psycopg.connect(url) as connection:
        _seed(connection, total, 0)
        connection.execute(_WAITING, {"input": _INPUT})
        connection.execute(_PAUSED)
        _tell(connection, {"ENQUEUED": "PENDING"})
    tidy(url)


def tidy(url: str) -> None:
    """Do what autovacuum would do in a while."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM (ANALYZE)")


def _create(url: str) -> None:
    async def migrated() -> None:
        database = await open_database(url, busy_timeout=_PATIENCE, clock=_CLOCK)
        await database.close()

    asyncio.run(migrated())


def _seed(connection: psycopg.Connection, total: int, span: int) -> None:
    first = _CLOCK.now() - span
    connection.execute(_SEEDED, {"total": total, "first": first, "span": span})


def _tell(connection: psycopg.Connection, kinds: dict[str, str]) -> None:
    connection.execute(_EVENTS, {"types": list(kinds), "statuses": list(kinds.values())})
    last = connection.execute(_LAST).fetchone()
    assert last is not None
    position, instance_id, kind, at = last
    connection.execute(_ADVANCE, (position, mark_of(instance_id, kind, at)))
