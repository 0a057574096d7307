"""What a database holds, table by table, in the order in which it can be written."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """A table: what writes its rows, its columns, which of them are its key, and its flags."""

    name: str
    put: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    flags: frozenset[str] = frozenset()


TABLES = (
    Table(
        "instances",
        "copy_instances",
        (
            "id",
            "name",
            "queue",
            "status",
            "priority",
            "ready",
            "blocked",
            "run_after",
            "created_at",
            "updated_at",
            "started_at",
            "finished_at",
            "attempts",
            "max_attempts",
            "losses",
            "max_lost",
            "visit",
            "fence",
            "cancel_requested",
            "hooked",
            "worker",
            "lease_until",
            "idempotency_key",
            "params_digest",
            "singleton_key",
            "request",
            "action",
            "input",
            "params",
            "state",
            "output",
            "last_error",
        ),
        ("id",),
        frozenset(["blocked", "cancel_requested", "hooked", "ready"]),
    ),
    Table(
        "failures",
        "copy_failures",
        ("instance_id", "fence", "visit", "action", "attempt", "error_type", "message", "at"),
        ("instance_id", "fence"),
        frozenset([]),
    ),
    Table(
        "events",
        "copy_events",
        (
            "position",
            "type",
            "instance_id",
            "name",
            "queue",
            "status",
            "action",
            "step",
            "attempt",
            "error",
            "data",
            "at",
        ),
        ("position",),
        frozenset([]),
    ),
    Table(
        "queues",
        "copy_queues",
        ("name", "concurrency", "rate_count", "rate_per", "rate_burst", "arrival", "paused"),
        ("name",),
        frozenset(["paused"]),
    ),
    Table(
        "hooks",
        "copy_hooks",
        ("id", "instance_id", "name", "status", "error", "attempts", "fence", "due"),
        ("id",),
        frozenset([]),
    ),
    Table(
        "requests",
        "copy_requests",
        ("id", "fingerprint", "answer", "at"),
        ("id",),
        frozenset([]),
    ),
)
