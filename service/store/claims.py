"""Claims: which instances a worker gets, under the rules of their queues."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from service.domain import rate
from service.domain.clock import Instant
from service.domain.instance import Claimed
from service.domain.lanes import Candidate, Lane, fairly, in_order
from service.domain.moves import CLAIM
from service.domain.queue import Rate
from service.domain.transitions import event_of
from service.store import records
from service.store.batch import Batch, Write
from service.store.database import Row


@dataclass(slots=True, kw_only=True)
class Claims:
    """What a worker got, and what it didn't.

    `held_back` are queues with no place left, which may have more ready; `next_token_at` is when
    the first rate limit gives a token, by the clock that says `now`; `served_last` is where the
    next claim's turn begins.
    """

    claimed: Sequence[Claimed] = ()
    held_back: set[str] = field(default_factory=set[str])
    now: Instant = 0
    next_token_at: Instant | None = None
    served_last: str = ""


@dataclass(slots=True, kw_only=True)
class Claim(Write[Claims]):
    """Claim up to `limit` instances of the workflows `names`, each for `lease` microseconds."""

    rank = 90

    worker: str
    names: frozenset[str]
    limit: int
    lease: int
    after: str = ""
    rows: Sequence[Row] = ()

    @classmethod
    def foresee(cls, batch: Batch, writes: "Sequence[Claim]") -> None:
        """Look which queues have something ready, and hold those that have limits."""
        rows = batch.tx.all("ready_lanes")
        for write in writes:
            write.rows = [row for row in rows if row[1] in write.names]
            batch.hold(queues=[row[0] for row in write.rows if _limited(row)])

    def apply(self, batch: Batch) -> Claims:
        """Claim them, and count them against the limits of their queues."""
        claims = Claims(now=batch.now, served_last=self.after)
        lanes = _lanes(self._held_rules(batch))
        chosen = self._choose(batch, lanes, claims)
        if not chosen:
            return claims
        dealt, claims.served_last = fairly(chosen, self.limit, self.after)
        spent = [
            (
                lane.queue,
                rate.spend(lane.rate, lane.arrival, batch.now, len(dealt[lane.queue])),
            )
            for lane in lanes
            if lane.rate is not None and lane.queue in dealt
        ]
        batch.tx.run("spend_tokens", spent)
        until = batch.now + self.lease
        rows = batch.tx.many(
            "claim",
            [
                (each, *CLAIM.sources, CLAIM.target, self.worker, until, batch.now)
                for ids in dealt.values()
                for each in ids
            ],
        )
        claims.claimed = [records.claimed(row) for row in rows if row is not None]
        for held in claims.claimed:
            batch.tell(event_of(CLAIM, held))
        return claims

    def _held_rules(self, batch: Batch) -> Sequence[Row]:
        """Return the lanes with their limits as they are now that their queues are held."""
        limited = sorted({row[0] for row in self.rows if _limited(row)})
        rules = {
            row[0]: row[1:]
            for row in batch.tx.many("queue_rules", [(queue,) for queue in limited])
            if row is not None
        }
        return [(row[0], row[1], *rules.get(row[0], row[2:])) for row in self.rows]

    def _choose(self, batch: Batch, lanes: Sequence[Lane], claims: Claims) -> dict[str, list[str]]:
        """Return the ids that may be claimed, by queue, as many as its limits allow."""
        rooms = self._rooms(batch, lanes)
        allowed: dict[str, int] = {}
        for lane in lanes:
            if lane.paused:
                continue
            if rooms[lane.queue] <= 0:
                claims.held_back.add(lane.queue)
                continue
            tokens = self._tokens(batch, lane, claims, min(self.limit, rooms[lane.queue]))
            if tokens > 0:
                allowed[lane.queue] = tokens
        asked = [
            (lane.queue, name, allowed[lane.queue])
            for lane in lanes
            if lane.queue in allowed
            for name in lane.names
        ]
        found: defaultdict[str, list[Candidate]] = defaultdict(list)
        for (queue, _, _), rows in zip(asked, batch.tx.every("ready_in_lane", asked), strict=True):
            found[queue].extend((row[0], row[1], row[2]) for row in rows)
        chosen = {
            queue: ids for queue, each in found.items() if (ids := in_order(each, allowed[queue]))
        }
        claims.held_back.update(q for q, ids in chosen.items() if len(ids) == rooms[q])
        return chosen

    def _tokens(self, batch: Batch, lane: Lane, claims: Claims, wanted: int) -> int:
        """Return how many of those wanted the queue's rate allows now."""
        if lane.rate is None:
            return wanted
        tokens = rate.available(lane.rate, lane.arrival, batch.now)
        kept = rate.spend(lane.rate, lane.arrival, batch.now, 0)
        if kept < lane.arrival:
            # The clock was set back: the bucket is empty, but not for as long as that.
            batch.tx.run("spend_tokens", [(lane.queue, kept)])
        if tokens < wanted:
            at = rate.next_token_at(lane.rate, lane.arrival, batch.now)
            claims.next_token_at = min(at, claims.next_token_at or at)
        return min(wanted, tokens)

    def _rooms(self, batch: Batch, lanes: Sequence[Lane]) -> dict[str, int]:
        """Return each queue's places left; more than can be claimed where there is no cap."""
        rooms = {lane.queue: self.limit + 1 for lane in lanes}
        capped = [lane for lane in lanes if lane.concurrency is not None and not lane.paused]
        rows = batch.tx.many("count_running", [(lane.queue,) for lane in capped])
        for lane, row in zip(capped, rows, strict=True):
            rooms[lane.queue] = (lane.concurrency or 0) - (row[0] if row else 0)
        return rooms


def _limited(row: Row) -> bool:
    _, _, paused, concurrency, count, *_ = row
    return not paused and (concurrency is not None or count is not None)


def _lanes(rows: Sequence[Row]) -> list[Lane]:
    known: defaultdict[str, list[str]] = defaultdict(list)
    rules: dict[str, Row] = {}
    for queue, name, *rule in rows:
        known[queue].append(name)
        rules[queue] = tuple(rule)
    lanes: list[Lane] = []
    for queue, (paused, concurrency, count, per, burst, arrival) in rules.items():
        lanes.append(
            Lane(
                queue=queue,
                names=known[queue],
                paused=bool(paused),
                concurrency=concurrency,
                rate=None
                if count is None
                else Rate(count, per=timedelta(microseconds=per), burst=burst),
                arrival=arrival,
            )
        )
    return lanes
