"""What the server tells, with Python's own types: moments are aware datetimes in UTC."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from service.domain.events import EventType
from service.domain.instance import ENDED, CancelOutcome, OnConflict, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """One execution of a workflow, as it stood when it was read.

    `input` and `output` are plain JSON values. The events after `cursor` are exactly those that
    happened since.
    """

    id: str
    name: str
    queue: str
    status: Status
    priority: int
    attempts: int
    max_attempts: int
    last_error: str | None
    input: Any
    output: Any
    idempotency_key: str | None
    singleton_key: str | None
    created_at: datetime
    updated_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    run_after: datetime
    cursor: str

    @property
    def ended(self) -> bool:
        """Tell whether it ended: COMPLETED, FAILED or CANCELLED."""
        return self.status in ENDED


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One fact of an instance's life. `watch(after=event.cursor)` goes on right after it."""

    cursor: str
    type: EventType
    at: datetime
    instance_id: str
    name: str
    queue: str
    status: Status
    action: str | None
    step: str | None
    attempt: int | None
    error: str | None
    data: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One failed attempt of an action."""

    action: str
    attempt: int
    error_type: str
    message: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Enqueue:
    """One of the items of `enqueue_many`. `params` may be anything that pydantic can write."""

    name: str
    params: object = None
    queue: str | None = None
    priority: int | None = None
    idempotency_key: str | None = None
    singleton_key: str | None = None
    on_conflict: OnConflict = OnConflict.RETURN


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelled:
    """The answer to a cancel: the instance as it stands now, and what the cancel did."""

    instance: Instance
    outcome: CancelOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A queue as it stands: how many instances it holds, and what bounds it."""

    name: str
    pending: int
    running: int
    waiting: int
    oldest_wait_seconds: float | None
    concurrency: int | None
    tokens_left: float | None
    paused: bool
