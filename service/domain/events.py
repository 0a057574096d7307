"""One fact of an instance's life, written with the change that it tells of."""

from dataclasses import dataclass
from enum import StrEnum
from zlib import crc32

from service.domain.clock import Instant
from service.domain.instance import Status


class EventType(StrEnum):
    """What happened to an instance."""

    ENQUEUED = "ENQUEUED"
    STARTED = "STARTED"
    CHECKPOINT = "CHECKPOINT"
    COMPLETED = "COMPLETED"
    RETRYING = "RETRYING"
    FAILED = "FAILED"
    CANCEL_REQUESTED = "CANCEL_REQUESTED"
    CANCELLED = "CANCELLED"
    RECLAIMED = "RECLAIMED"
    RELEASED = "RELEASED"
    REQUEUED = "REQUEUED"


TERMINAL = frozenset({EventType.COMPLETED, EventType.FAILED, EventType.CANCELLED})


@dataclass(slots=True, kw_only=True)
class Event:
    """One entry of the log. `at` and `position` are given when it is written, and stay.

    `data` is JSON text. `attempt` is the failed attempts of the visit so far, plus one.
    """

    type: EventType
    instance_id: str
    name: str
    queue: str
    status: Status
    action: str | None = None
    step: str | None = None
    attempt: int | None = None
    error: str | None = None
    data: str | None = None
    at: Instant = 0
    position: int = 0

    @property
    def mark(self) -> int:
        """Return a hash that tells this event from one at the same position of another history."""
        return mark_of(self.instance_id, self.type, self.at)

    @property
    def size(self) -> int:
        """Return about how many bytes this event takes in memory."""
        return 600 + len(self.error or "") + len(self.data or "")


def mark_of(instance_id: str, event_type: str, at: Instant) -> int:
    """Return the mark of the event with these facts, 32 bits."""
    return crc32(f"{instance_id} {event_type} {at}".encode())
