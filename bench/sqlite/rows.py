"""The service's own tables through plain sqlite3: how the limits and the seeds are written.

The file, the inserts and the connection's settings are the service's.
"""

import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from service.domain.ids import time_ordered
from service.store.sqlite.connection import prepare
from service.store.sqlite.database import prepare_file
from service.store.statements import load

_SQLITE = "service.store.sqlite"
_PATIENCE = 5.0
INPUT = '{"number":1,"text":"0123456789"}'
INSERT_INSTANCE = load(_SQLITE)["insert_instance"]
INSERT_EVENT = load(_SQLITE)["insert_event"]
ADVANCE_HEAD = load(_SQLITE)["advance_head"]

Row = tuple[object, ...]


class WallClock:
    """The machine's clock."""

    def now(self) -> int:
        """Return microseconds since 1970."""
        return time.time_ns() // 1000

    def monotonic(self) -> float:
        """Return seconds that only grow."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Refuse: nothing here waits."""
        raise NotImplementedError


CLOCK = WallClock()
new_id = time_ordered(CLOCK)


def create(path: Path) -> None:
    """Make a database as the service makes it, with every migration in it."""
    prepare_file(path, _PATIENCE, CLOCK)


def connect(path: Path) -> sqlite3.Connection:
    """Open a database set up as the service's are, with no transaction but those asked for."""
    connection = sqlite3.connect(path, isolation_level=None)
    prepare(connection, CLOCK)
    return connection


def instance_row(instance_id: str, now: int, *, name: str = "noop", queue: str = "noop") -> Row:
    """Return what inserts a ready instance, in the order of `insert_instance`."""
    keys = (None, None, None, None)
    return (instance_id, name, queue, 0, 1, 0, now, 1, 3, 0, *keys, "noop", INPUT)


def event_rows(ids: list[str], kind: str, status: str, now: int, head: int) -> Iterator[Row]:
    """Yield what inserts one event for each instance, after the log's head."""
    for position, instance_id in enumerate(ids, head + 1):
        facts = ("noop", "noop", status, "noop", None, 1, None, None)
        yield (kind, instance_id, *facts, now, position)
