"""All that a database holds at one moment, read past the store."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from service.domain.events import Event
from service.domain.instance import ENDED, Status
from service.store.database import Transaction
from service.store.records import event


@dataclass(frozen=True, slots=True)
class Row:
    """An instance with every column."""

    id: str
    name: str
    queue: str
    status: str
    priority: int
    ready: int
    blocked: int
    run_after: int
    created_at: int
    updated_at: int
    started_at: int | None
    finished_at: int | None
    attempts: int
    max_attempts: int
    losses: int
    max_lost: int
    visit: int
    fence: int
    cancel_requested: int
    hooked: int
    worker: str | None
    lease_until: int | None
    idempotency_key: str | None
    params_digest: str | None
    singleton_key: str | None
    request: str | None
    action: str
    input: str
    params: str | None
    state: str | None
    output: str | None
    last_error: str | None

    @property
    def ended(self) -> bool:
        """Return whether nothing but a requeue may change it."""
        return self.status in ENDED

    @property
    def place(self) -> tuple[int, int, str]:
        """Return what decides whose turn it is among what is ready in a queue."""
        return (-self.priority, self.run_after, self.id)


@dataclass(frozen=True, slots=True)
class HookRow:
    """A terminal hook that has not run."""

    id: int
    instance_id: str
    fence: int
    due: int


@dataclass(frozen=True, slots=True)
class QueueRow:
    """What is known of a queue."""

    name: str
    concurrency: int | None
    rate_count: int | None
    rate_per: int | None
    rate_burst: int | None
    arrival: int
    paused: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Everything, the events in the log's order. `failures` counts them by instance."""

    rows: Mapping[str, Row]
    events: Sequence[Event]
    head: int
    head_mark: int
    pruned: int
    origin: int
    queues: Mapping[str, QueueRow]
    hooks: Mapping[int, HookRow]
    failures: Mapping[str, int]
    requests: frozenset[str]

    def living(self, name: str, singleton_key: str | None) -> list[Row]:
        """Return the living instances of a singleton key, the newest first."""
        found = [
            row
            for row in self.rows.values()
            if (row.name, row.singleton_key) == (name, singleton_key) and not row.ended
        ]
        return sorted(found, key=lambda row: (row.created_at, row.id), reverse=True)

    def of_key(self, name: str, idempotency_key: str) -> Row | None:
        """Return the instance of an idempotency key."""
        for row in self.rows.values():
            if (row.name, row.idempotency_key) == (name, idempotency_key):
                return row
        return None

    def running(self, queue: str) -> int:
        """Return how many instances of a queue run."""
        return sum(
            row.queue == queue and row.status == Status.RUNNING for row in self.rows.values()
        )

    def ready(self) -> Iterator[Row]:
        """Yield what may be claimed, if its queue lets it."""
        return (row for row in self.rows.values() if row.ready)


def take(tx: Transaction) -> Snapshot:
    """Return everything as of this transaction."""
    [(head, head_mark, pruned, origin)] = tx.compose(
        "SELECT head, head_mark, pruned, origin FROM log", ()
    )
    rows = [Row(*each) for each in _all(tx, "instances", Row, "id")]
    queues = [QueueRow(*each) for each in _all(tx, "queues", QueueRow, "name")]
    hooks = [HookRow(*each) for each in _all(tx, "hooks", HookRow, "id")]
    return Snapshot(
        rows={row.id: row for row in rows},
        events=[event(each) for each in _all(tx, "events", Event, "position")],
        head=head,
        head_mark=head_mark,
        pruned=pruned,
        origin=origin,
        queues={queue.name: queue for queue in queues},
        hooks={hook.id: hook for hook in hooks},
        failures=Counter(row[0] for row in tx.compose("SELECT instance_id FROM failures", ())),
        requests=frozenset(row[0] for row in tx.compose("SELECT id FROM requests", ())),
    )


def _all(tx: Transaction, table: str, kind: Any, order: str) -> Sequence[Any]:
    names = ", ".join(field.name for field in fields(kind))
    return tx.compose(f"SELECT {names} FROM {table} ORDER BY {order}", ())  # noqa: S608
