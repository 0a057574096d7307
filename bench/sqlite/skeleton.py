"""The least that a durable enqueue in one process can cost: a thread, a batch, one commit.

One thread owns the connection and writes whatever has been asked since its last commit: a row and
an event each. It validates nothing and keeps no keys: a ceiling, not an engine.
"""

import asyncio
import os
import queue
import sqlite3
import threading
import time
from pathlib import Path

_TABLES = """
CREATE TABLE run (
    id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, workflow TEXT, queue TEXT, status INTEGER,
    priority INTEGER DEFAULT 0, attempt INTEGER DEFAULT 0, input BLOB, result BLOB, lease REAL,
    worker TEXT, created REAL, updated REAL
);
CREATE INDEX run_ready ON run (queue, priority, id) WHERE status = 0;
CREATE INDEX run_lease ON run (lease) WHERE status = 1;
CREATE TABLE event (seq INTEGER PRIMARY KEY, run INTEGER, kind INTEGER, at REAL, data BLOB);
"""
_RUN = """
INSERT INTO run (id, uid, workflow, queue, status, input, created, updated)
VALUES (?, ?, 'noop', 'noop', 0, ?, ?, ?)
"""
_EVENT = "INSERT INTO event (run, kind, at) VALUES (?, 1, ?)"
_PARAMS = b'{"number":1,"text":"0123456789"}'

Answer = asyncio.Future[int]


class Skeleton:
    """An enqueue that is durable and nothing else."""

    def __init__(self, path: Path) -> None:
        self._asked: queue.SimpleQueue[Answer | None] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._write, args=(path,), daemon=True)
        self._thread.start()

    async def enqueue(self) -> int:
        """Return the number of a new row, once it is on disk."""
        answer: Answer = self._loop.create_future()
        self._asked.put(answer)
        return await answer

    async def close(self) -> None:
        """End the thread."""
        self._asked.put(None)
        await asyncio.to_thread(self._thread.join)

    def _write(self, path: Path) -> None:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA journal_mode = wal")
        connection.execute("PRAGMA synchronous = full")
        connection.executescript(_TABLES)
        last = 0
        while batch := self._batch():
            now = time.time()
            numbers = range(last + 1, last + 1 + len(batch))
            last += len(batch)
            connection.execute("BEGIN IMMEDIATE")
            rows = [(number, os.urandom(16).hex(), _PARAMS, now, now) for number in numbers]
            connection.executemany(_RUN, rows)
            connection.executemany(_EVENT, [(number, now) for number in numbers])
            connection.execute("COMMIT")
            self._loop.call_soon_threadsafe(_answer, batch, numbers)
        connection.close()

    def _batch(self) -> list[Answer]:
        first = self._asked.get()
        if first is None:
            return []
        batch = [first]
        while True:
            try:
                item = self._asked.get_nowait()
            except queue.Empty:
                return batch
            if item is None:
                self._asked.put(None)
                return batch
            batch.append(item)


def _answer(batch: list[Answer], numbers: range) -> None:
    for answer, number in zip(batch, numbers, strict=True):
        answer.set_result(number)
