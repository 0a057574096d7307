"""Pruning what is old enough, a small batch at a time."""

from dataclasses import dataclass

from service.store.batch import Batch, Write


@dataclass(frozen=True, slots=True)
class Pruned:
    """How much one batch took away."""

    instances: int
    events: int
    requests: int

    @property
    def total(self) -> int:
        """Return how many rows are gone."""
        return self.instances + self.events + self.requests


@dataclass(slots=True, kw_only=True)
class Prune(Write[Pruned]):
    """Delete up to `limit` rows of each kind that are older than `age` microseconds.

    Only instances that have ended go, counted from their end, and the log only from its old end;
    its last event stays, so that the head's cursor is always good.
    """

    rank = 99

    age: int
    limit: int

    def apply(self, batch: Batch) -> Pruned:
        """Prune one batch."""
        tx = batch.tx
        before = batch.now - self.age
        gone = tx.all("ended_before", (before, self.limit))
        tx.run("delete_instance", [(row[0],) for row in gone])
        requests = tx.all("delete_requests", (before, self.limit))
        return Pruned(len(gone), self._prune_log(batch, before), len(requests))

    def _prune_log(self, batch: Batch, before: int) -> int:
        tx = batch.tx
        head = tx.one("head")
        pruned = head[2] if head else 0
        row = tx.one("prunable_event", (pruned, self.limit, before))
        upto = row[0] if row else None
        if upto is None:
            return 0
        tx.run("delete_events", [(pruned, upto)])
        tx.run("mark_pruned", [(upto,)])
        return upto - pruned
