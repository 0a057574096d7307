"""Claims: which instances a worker gets, under the rules of their queues."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from service.domain import rate
from service.domain.clock import Instant
from service.domain.instance import Claimed
from service.domain.lanes import Lane, fairly, in_order
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
    the first rate limit gives a token; `served_last` is where the next claim's turn begins.
    """

    claimed: Sequence[Claimed] = ()
    held_back: set[str] = field(default_factory=set[str])
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

    def apply(self, batch: Batch) -> Claims:
        """Claim them, and count them against the limits of their queues."""
        claims = Claims(served_last=self.after)
        lanes = _lanes(batch.tx.all("ready_lanes"), self.names)
        chosen = {lane.queue: ids for lane in lanes if (ids := self._choose(batch, lane, claims))}
        if not chosen:
            return claims
        dealt, claims.served_last = fairly(chosen, self.limit, self.after)
        for lane in lanes:
            if lane.rate is not None and lane.queue in dealt:
                spent = len(dealt[lane.queue])
                arrival = rate.spend(lane.rate, lane.arrival, batch.now, spent)
                batch.tx.run("spend_tokens", [(lane.queue, arrival)])
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

    def _choose(self, batch: Batch, lane: Lane, claims: Claims) -> list[str]:
        if lane.paused:
            return []
        room = self._room(batch, lane)
        if room <= 0:
            claims.held_back.add(lane.queue)
            return []
        allowed = min(self.limit, room)
        if lane.rate is not None:
            tokens = rate.available(lane.rate, lane.arrival, batch.now)
            kept = rate.spend(lane.rate, lane.arrival, batch.now, 0)
            if kept < lane.arrival:
                # The clock was set back: the bucket is empty, but not for as long as that.
                batch.tx.run("spend_tokens", [(lane.queue, kept)])
            if tokens < allowed:
                at = rate.next_token_at(lane.rate, lane.arrival, batch.now)
                claims.next_token_at = min(at, claims.next_token_at or at)
            allowed = min(allowed, tokens)
            if allowed <= 0:
                return []
        found = [
            (row[0], row[1], row[2])
            for name in lane.names
            for row in batch.tx.all("ready_in_lane", (lane.queue, name, allowed))
        ]
        chosen = in_order(found, allowed)
        if len(chosen) == room:
            claims.held_back.add(lane.queue)
        return chosen

    def _room(self, batch: Batch, lane: Lane) -> int:
        """Return the places left under the cap; more than can be claimed where there is none."""
        if lane.concurrency is None:
            return self.limit + 1
        running = batch.tx.one("count_running", (lane.queue,))
        return lane.concurrency - (running[0] if running else 0)


def _lanes(rows: Sequence[Row], names: frozenset[str]) -> list[Lane]:
    known: defaultdict[str, list[str]] = defaultdict(list)
    rules: dict[str, Row] = {}
    for queue, name, *rule in rows:
        if name in names:
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
