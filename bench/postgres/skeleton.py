"""The least that a durable engine in one process can cost on PostgreSQL: a ceiling, not an engine.

Run by a Python that has `asyncpg` and `uvloop`, which may be another one than the service's:
`python -m bench.postgres.skeleton URL KIND COUNT` makes its tables on an empty database and prints
how many were enqueued a second, or how many waiting instances of one action (`noop`) or of three
(`three`) it ran down. All calls that are in flight share one statement over arrays, so one round
trip and one commit; a claim takes as many rows as there are free slots. It validates nothing, keeps
no keys and orders no log.
"""

import asyncio
import importlib
import json
import sys
import time
import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from bench.in_flight import rate_of

_TABLES = """
CREATE TABLE run (
    id uuid PRIMARY KEY, name text, queue text, status smallint, action smallint, fence int,
    params text, output text, worker text, lease_until timestamptz, created_at timestamptz,
    updated_at timestamptz
);
CREATE INDEX run_ready ON run (queue, id) WHERE status = 0;
CREATE INDEX run_lease ON run (lease_until) WHERE status = 1;
CREATE TABLE event (
    position bigserial PRIMARY KEY, run_id uuid, kind smallint, at timestamptz
);
"""
_ENQUEUE = """
WITH made AS (
    INSERT INTO run (id, name, queue, status, action, fence, params, created_at, updated_at)
    SELECT id, 'noop', 'noop', 0, 1, 0, params, now(), now()
      FROM unnest($1::uuid[], $2::text[]) AS asked (id, params)
    RETURNING id
)
INSERT INTO event (run_id, kind, at) SELECT id, 0, now() FROM made
"""
_CLAIM = """
WITH free AS (
    SELECT id FROM run WHERE queue = 'noop' AND status = 0
     ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE run
       SET status = 1, fence = fence + 1, worker = 'w', updated_at = now(),
           lease_until = now() + interval '30 s'
      FROM free WHERE run.id = free.id
    RETURNING run.id, run.params
), told AS (
    INSERT INTO event (run_id, kind, at) SELECT id, 1, now() FROM taken
)
SELECT id, params FROM taken
"""
_SETTLE = """
WITH settled AS (
    UPDATE run
       SET status = asked.status, action = asked.action, output = asked.output, updated_at = now(),
           lease_until = CASE asked.status WHEN 1 THEN lease_until END
      FROM unnest($1::uuid[], $2::smallint[], $3::smallint[], $4::text[])
           AS asked (id, status, action, output)
     WHERE run.id = asked.id AND run.status = 1
    RETURNING run.id, run.status
)
INSERT INTO event (run_id, kind, at) SELECT id, 2 + status, now() FROM settled
"""
_PARAMS = '{"number":1,"text":"0123456789"}'
_RUNNING, _ENDED = 1, 2
_SLOTS = 300

_AT_ONCE = 100


class Flusher:
    """Writes what is asked at the same time by one statement, which takes an array a column."""

    def __init__(self, statement: Any) -> None:
        self._statement = statement
        self._asked: list[tuple[tuple[Any, ...], asyncio.Future[None]]] = []
        self._news = asyncio.Event()

    async def write(self, *row: object) -> None:
        """Return once the row is on disk."""
        answer = asyncio.get_running_loop().create_future()
        self._asked.append((row, answer))
        self._news.set()
        await answer

    async def run(self) -> None:
        """Write until it is cancelled."""
        while await self._news.wait():
            self._news.clear()
            batch, self._asked = self._asked, []
            await self._statement.fetch(*zip(*(row for row, _ in batch), strict=True))
            for _, answer in batch:
                answer.set_result(None)


class Engine:
    """Enqueues, claims and runs instances that do nothing."""

    def __init__(self, enqueuing: Flusher, claim: Any, settling: Flusher) -> None:
        self._enqueuing = enqueuing
        self._claim = claim
        self._settling = settling
        self._free = _SLOTS
        self._room = asyncio.Event()

    async def enqueue(self) -> None:
        """Return once a new instance is on disk; its id grows with time."""
        moment = time.time_ns() // 1000
        made = uuid.UUID(int=moment << 64 | uuid.uuid4().int & (1 << 64) - 1)
        await self._enqueuing.write(made, _PARAMS)

    async def drain(self, total: int, actions: int) -> float:
        """Return how many waiting instances were run to their end a second."""
        start = time.perf_counter()
        running: set[asyncio.Task[None]] = set()
        claimed = 0
        while claimed < total:
            rows = await self._claim.fetch(min(self._free, _AT_ONCE))
            claimed += len(rows)
            self._free -= len(rows)
            for row in rows:
                task = asyncio.create_task(self._run(row["id"], actions))
                running.add(task)
                task.add_done_callback(running.discard)
            while self._free < _AT_ONCE:
                self._room.clear()
                await self._room.wait()
        await asyncio.gather(*running)
        return total / (time.perf_counter() - start)

    async def _run(self, instance_id: uuid.UUID, actions: int) -> None:
        for action in range(2, actions + 1):
            await self._settling.write(instance_id, _RUNNING, action, None)
        await self._settling.write(instance_id, _ENDED, actions, "1")
        self._free += 1
        self._room.set()


@asynccontextmanager
async def engine(url: str) -> AsyncGenerator[Engine]:
    """Make the tables and open a connection for each statement."""
    asyncpg = importlib.import_module("asyncpg")  # of a Python that type checkers don't look into
    connections = [await asyncpg.connect(url) for _ in range(3)]
    await connections[0].execute(_TABLES)
    enqueue, claim, settle = [
        await connection.prepare(statement)
        for connection, statement in zip(connections, (_ENQUEUE, _CLAIM, _SETTLE), strict=True)
    ]
    enqueuing, settling = Flusher(enqueue), Flusher(settle)
    flushing = [asyncio.create_task(flusher.run()) for flusher in (enqueuing, settling)]
    yield Engine(enqueuing, claim, settling)
    for task in flushing:
        task.cancel()
    for connection in connections:
        await connection.close()


async def measure(url: str, kind: str, total: int) -> float:
    """Return what is asked for, a second."""
    async with engine(url) as bare:
        enqueued = await rate_of(bare.enqueue, total=total, in_flight=100)
        if kind == "enqueue":
            return enqueued
        return await bare.drain(total, 3 if kind == "three" else 1)


def main() -> None:
    """Measure what the command line asks for."""
    url, kind, total = sys.argv[1], sys.argv[2], int(sys.argv[3])
    uvloop = importlib.import_module("uvloop")
    print(json.dumps(uvloop.run(measure(url, kind, total))))


if __name__ == "__main__":
    main()
