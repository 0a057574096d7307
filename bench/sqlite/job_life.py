"""The job-life limit: rows inserted, claimed and finished, a hundred to a commit, by plain sqlite3.

Each commit writes the events of its rows and moves the log's head: what any engine on these tables
has to do. It checks nothing, and gives nobody an answer.
"""

import time
from pathlib import Path

from bench.sqlite import rows

BATCH = 100
_CLAIM = """
UPDATE instances
   SET status = 'RUNNING', ready = 0, fence = fence + 1, worker = 'w', lease_until = ?1,
       updated_at = ?2, started_at = ?2
 WHERE id IN (SELECT id FROM instances
               WHERE queue = 'noop' AND name = 'noop' AND status = 'PENDING' AND ready = 1
               ORDER BY priority DESC, run_after, id LIMIT ?3)
RETURNING id
"""
_FINISH = """
UPDATE instances
   SET status = 'COMPLETED', output = '1', worker = NULL, lease_until = NULL, updated_at = ?1,
       finished_at = ?1
 WHERE id = ?2 AND fence = 1 AND status = 'RUNNING'
"""


class JobLife:
    """A file on which jobs live and end."""

    def __init__(self, path: Path) -> None:
        rows.create(path)
        self._db = rows.connect(path)
        self._head = 0

    def rate(self, total: int) -> float:
        """Return how many were inserted, claimed and finished a second."""
        made = [rows.new_id() for _ in range(total)]
        start = time.perf_counter()
        for first in range(0, total, BATCH):
            self._insert(made[first : first + BATCH])
        done = 0
        while done < total:
            claimed = self._claim()
            self._finish(claimed)
            done += len(claimed)
        return total / (time.perf_counter() - start)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _insert(self, ids: list[str]) -> None:
        now = rows.CLOCK.now()
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany(rows.INSERT_INSTANCE, [rows.instance_row(one, now) for one in ids])
        self._tell(ids, "ENQUEUED", "PENDING", now)

    def _claim(self) -> list[str]:
        now = rows.CLOCK.now()
        self._db.execute("BEGIN IMMEDIATE")
        found = self._db.execute(_CLAIM, (now + 30_000_000, now, BATCH))
        ids = [row[0] for row in found]
        self._tell(ids, "STARTED", "RUNNING", now)
        return ids

    def _finish(self, ids: list[str]) -> None:
        now = rows.CLOCK.now()
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany(_FINISH, [(now, one) for one in ids])
        self._tell(ids, "COMPLETED", "COMPLETED", now)

    def _tell(self, ids: list[str], kind: str, status: str, now: int) -> None:
        events = rows.event_rows(ids, kind, status, now, self._head)
        self._db.executemany(rows.INSERT_EVENT, list(events))
        self._head += len(ids)
        self._db.execute(rows.ADVANCE_HEAD, (self._head, 0))
        self._db.execute("COMMIT")
