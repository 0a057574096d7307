"""Queues: what the code declares, what is paused, and how many wait and run."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from service.domain import rate
from service.domain.clock import SECOND, micros
from service.domain.queue import QueuePolicy, QueueView, Rate
from service.store.batch import Batch, Write
from service.store.database import Database, Transaction
from service.store.requests import Request, earlier_answer, keep_answer


@dataclass(slots=True, kw_only=True)
class DeclareQueues(Write[None]):
    """Write what the code says of its queues; pauses and spent tokens stay as they are."""

    rank = 1

    policies: Sequence[QueuePolicy]

    @classmethod
    def foresee(cls, batch: Batch, writes: "Sequence[DeclareQueues]") -> None:
        """Hold those that are there."""
        batch.hold(queues=[policy.name for write in writes for policy in write.policies])

    def apply(self, batch: Batch) -> None:
        """Declare them, in the order in which queues are held."""
        batch.tx.run(
            "declare_queue",
            [
                (
                    policy.name,
                    policy.concurrency,
                    policy.rate and policy.rate.count,
                    policy.rate and micros(policy.rate.per),
                    policy.rate and policy.rate.burst,
                )
                for policy in sorted(self.policies, key=lambda policy: policy.name)
            ],
        )


@dataclass(slots=True, kw_only=True)
class Pause(Write[None]):
    """Pause or resume a queue."""

    rank = 2

    name: str
    paused: bool
    request: Request
    touches: Sequence[object] = ()

    def __post_init__(self) -> None:
        self.touches = (*self.request.touches, ("queue", self.name))

    @classmethod
    def foresee(cls, batch: Batch, writes: "Sequence[Pause]") -> None:
        """Hold the queues and the requests."""
        batch.hold(
            queues=[write.name for write in writes],
            keys=[key for write in writes for key in write.request.touches],
        )

    def apply(self, batch: Batch) -> None:
        """Pause or resume it, unless this very request did before."""
        if earlier_answer(batch, self.request) is None:
            batch.tx.run("pause_queue", [(self.name, self.paused)])
            keep_answer(batch, self.request, lambda: True)


class Queues:
    """Reads queues."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def exists(self, name: str) -> bool:
        """Return whether the queue is declared, was paused once, or has had an instance."""
        ((there,),) = await self._database.fetch("queue_exists", (name,))
        return bool(there)

    async def list(self, known: Sequence[str]) -> list[QueueView]:
        """Return every queue that is known here, declared, paused or in use, by name."""
        return await self._database.read(lambda tx: _views(tx, known))


def _views(tx: Transaction, known: Sequence[str]) -> list[QueueView]:
    rows = {row[0]: row[1:] for row in tx.all("list_queues")}
    pending: defaultdict[str, int] = defaultdict(int)
    oldest: dict[str, int] = {}
    for queue, count, earliest in tx.all("ready_depths"):
        pending[queue] += count
        oldest[queue] = earliest
    for name in ("later_depths", "blocked_depths"):
        for queue, count in tx.all(name):
            pending[queue] += count
    running = dict[str, int]((row[0], row[1]) for row in tx.all("running_depths"))
    names = {*known, *rows, *pending, *running}
    views: list[QueueView] = []
    for name in sorted(names):
        concurrency, count, per, burst, arrival, paused = rows.get(name, (None,) * 6)
        limit = None if count is None else Rate(count, per=timedelta(microseconds=per), burst=burst)
        since = oldest.get(name)
        views.append(
            QueueView(
                name=name,
                pending=pending.get(name, 0),
                running=running.get(name, 0),
                waiting=0,
                oldest_wait_seconds=None if since is None else max(0, tx.now - since) / SECOND,
                concurrency=concurrency,
                rate=limit,
                tokens_left=None if limit is None else rate.available(limit, arrival, tx.now),
                paused=bool(paused),
            )
        )
    return views
