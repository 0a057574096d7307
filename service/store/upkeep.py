"""What the tick does besides claiming: leases that ran out, rows that came due."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from service.domain.clock import Instant
from service.domain.instance import Claimed
from service.domain.transitions import Settlement, reclaim
from service.store import records
from service.store.batch import Batch, Write
from service.store.database import Row, Transaction
from service.store.moves import hold, settle


@dataclass(slots=True, kw_only=True)
class Reclaim(Write[list[str]]):
    """Take up to `limit` instances from workers whose lease ran out; answers with their ids."""

    rank = 20

    limit: int
    found: list[Claimed] = field(default_factory=list[Claimed])

    @classmethod
    def foresee(cls, batch: Batch, writes: "Sequence[Reclaim]") -> None:
        """Find them, and hold them with their keys."""
        for write in writes:
            rows = batch.tx.all("expired", (batch.now, write.limit))
            write.found = [records.claimed(row) for row in rows]
            hold(batch, write.found)

    def apply(self, batch: Batch) -> list[str]:
        """Put each back into its queue, or end it when its losses are spent."""
        rows = batch.tx.many("still_expired", [(each.id, batch.now) for each in self.found])
        left = [records.claimed(row) for row in rows if row is not None]
        moved = settle(batch, [reclaim(each) for each in left])
        return [move.held.id for move in moved if isinstance(move, Settlement)]


@dataclass(slots=True, kw_only=True)
class Promote(Write[int]):
    """Make up to `limit` rows ready that have come due; answers with how many there were."""

    rank = 21

    limit: int

    def apply(self, batch: Batch) -> int:
        """Promote them."""
        return len(batch.tx.all("promote", (batch.now, self.limit)))


@dataclass(slots=True, kw_only=True)
class CutLeases(Write[None]):
    """After the judging clock was set back: no lease ends more than `lease` µs from now."""

    rank = 22

    lease: int

    def apply(self, batch: Batch) -> None:
        """Cut them."""
        batch.tx.run("cut_leases", [(batch.now + self.lease,)])


@dataclass(frozen=True, slots=True)
class Agenda:
    """What the database has for a scheduler to do, and when, by the clock that judges it."""

    now: Instant
    next_due: Instant | None
    next_expiry: Instant | None
    ready: bool
    next_hook: Instant | None


def agenda(rows: Sequence[Row]) -> Agenda:
    """Return what there is to do, of what the statement `upkeep` answered."""
    ((now, next_due, next_expiry, ready, next_hook),) = rows
    return Agenda(now, next_due, next_expiry, bool(ready), next_hook)


def renew(tx: Transaction, held: list[tuple[str, int]], lease: int) -> list[bool | None]:
    """Renew the leases of these pairs of id and fence, each of which is given once.

    Returns for each whether a cancel was requested, or None when it is held no more.
    """
    until = tx.now + lease
    tx.lock(queues=(), keys=(), instances=sorted({instance_id for instance_id, _ in held}))
    rows = tx.many("renew", [(instance_id, fence, until) for instance_id, fence in held])
    return [None if row is None else bool(row[0]) for row in rows]
