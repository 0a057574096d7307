"""Terminal hooks: rows of their own, each held under a lease while it runs."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from service.domain.instance import Status
from service.store.batch import Batch, Write


@dataclass(frozen=True, slots=True, kw_only=True)
class DueHook:
    """A hook that this worker holds: of which instance, how it ended, and which try this is."""

    id: int
    instance_id: str
    name: str
    status: Status
    error: str | None
    attempts: int
    fence: int


@dataclass(slots=True, kw_only=True)
class ClaimHooks(Write[list[DueHook]]):
    """Take up to `limit` due hooks of the workflows `names`, each for `lease` microseconds."""

    rank = 91

    names: Sequence[str]
    limit: int
    lease: int

    def apply(self, batch: Batch) -> list[DueHook]:
        """Take them."""
        due = batch.tx.all("due_hooks", (batch.now, self.limit, json.dumps(list(self.names))))
        rows = batch.tx.many(
            "claim_hook", [(row[0], batch.now, batch.now + self.lease) for row in due]
        )
        return [
            DueHook(
                id=row[0],
                instance_id=row[1],
                name=row[2],
                status=Status(row[3]),
                error=row[4],
                attempts=row[5],
                fence=row[6],
            )
            for row in rows
            if row is not None
        ]


@dataclass(slots=True, kw_only=True)
class FinishHook(Write[None]):
    """A hook has run, or is given up; when `delay` microseconds are given it is tried again."""

    rank = 12

    hook: DueHook
    delay: int | None = None

    @classmethod
    def perform(cls, batch: Batch, writes: "Sequence[FinishHook]") -> Sequence[None]:
        """Delete or postpone each, if it is still held."""
        gone = [(w.hook.id, w.hook.fence) for w in writes if w.delay is None]
        again = [
            (w.hook.id, w.hook.fence, batch.now + w.delay) for w in writes if w.delay is not None
        ]
        batch.tx.run("delete_hook", gone)
        batch.tx.run("postpone_hook", again)
        return [None] * len(writes)
