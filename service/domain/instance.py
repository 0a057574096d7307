"""One execution of a workflow, and where it stands."""

from dataclasses import dataclass
from enum import StrEnum

from service.domain.clock import Instant


class Status(StrEnum):
    """Where an instance stands."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    WAITING = "WAITING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


ENDED = frozenset({Status.COMPLETED, Status.FAILED, Status.CANCELLED})
LIVE = frozenset(Status) - ENDED


class OnConflict(StrEnum):
    """What an enqueue does when its singleton key is held."""

    RETURN = "RETURN"
    REFUSE = "REFUSE"
    REPLACE = "REPLACE"


class CancelOutcome(StrEnum):
    """What a cancel came to."""

    CANCELLED = "CANCELLED"
    REQUESTED = "REQUESTED"
    ALREADY_ENDED = "ALREADY_ENDED"


@dataclass(slots=True, kw_only=True)
class Instance:
    """An instance as its callers see it. `input` and `output` are JSON text.

    `cursor` is the log's head, read in the same statement as the row.
    """

    id: str
    name: str
    queue: str
    status: Status
    priority: int
    attempts: int
    max_attempts: int
    last_error: str | None
    input: str | None
    output: str | None
    idempotency_key: str | None
    singleton_key: str | None
    cancel_requested: bool
    run_after: Instant
    created_at: Instant
    updated_at: Instant
    started_at: Instant | None
    finished_at: Instant | None
    cursor: str = ""


@dataclass(slots=True, kw_only=True)
class Launch:
    """Everything that a new instance starts with: made by `Definition.launch`, written once."""

    id: str
    name: str
    queue: str
    priority: int
    action: str
    input: str
    max_attempts: int
    max_lost: int
    hooked: bool
    idempotency_key: str | None = None
    params_digest: str | None = None
    singleton_key: str | None = None
    on_conflict: OnConflict = OnConflict.RETURN


@dataclass(slots=True, kw_only=True)
class Claimed:
    """An instance as the worker that holds it knows it. `params` and `state` are JSON text.

    `params` is the input while the first action is due; `state` is None until a checkpoint.
    """

    id: str
    name: str
    queue: str
    priority: int
    action: str
    input: str
    params: str
    state: str | None
    attempts: int
    max_attempts: int
    losses: int
    max_lost: int
    visit: int
    fence: int
    hooked: bool
    singleton_key: str | None
    cancel_requested: bool
    lease_until: Instant


@dataclass(slots=True, kw_only=True)
class Failure:
    """One failed attempt: of which action, what was raised, and when."""

    instance_id: str
    fence: int
    visit: int
    action: str
    attempt: int
    error_type: str
    message: str
    at: Instant = 0

    @property
    def summary(self) -> str:
        """Return type and message on one line."""
        return f"{self.error_type}: {self.message}" if self.message else self.error_type
