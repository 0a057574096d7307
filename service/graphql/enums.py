"""Domain enums as GraphQL enums: each value with a description.

Projections and inputs take them from here, so that they are described before they are used.
"""

from collections.abc import Mapping
from enum import StrEnum

import strawberry

from service.domain.events import EventType
from service.domain.instance import CancelOutcome, OnConflict, Status
from service.domain.listing import Order

__all__ = ["CancelOutcome", "EventType", "OnConflict", "Order", "Status"]


def _show(kind: type[StrEnum], name: str, description: str, values: Mapping[str, str]) -> None:
    strawberry.enum(kind, name=name, description=description)
    for value in vars(kind)["__strawberry_definition__"].values:
        value.description = values[value.name]


_show(
    Status,
    "WorkflowStatus",
    "Where an instance stands.",
    {
        "PENDING": "It waits in its queue, or for the time at which it is due.",
        "RUNNING": "A worker holds it.",
        "WAITING": "It waits for a time, a signal or a child, and holds no worker.",
        "COMPLETED": "It ended well, with an output.",
        "FAILED": "It ended badly: `lastError` says why. `retry` puts it back.",
        "CANCELLED": "It was cancelled. `retry` puts it back.",
    },
)
_show(
    EventType,
    "WorkflowEventType",
    "What happened to an instance.",
    {
        "ENQUEUED": "It was written, PENDING.",
        "STARTED": "A worker claimed it.",
        "CHECKPOINT": "An action ended, and the next one is durable.",
        "COMPLETED": "It ended well.",
        "RETRYING": "An attempt failed, and another is due after the backoff.",
        "FAILED": "It ended badly.",
        "CANCEL_REQUESTED": "The worker that holds it was asked to cancel it.",
        "CANCELLED": "It was cancelled.",
        "RECLAIMED": "Its worker was lost, and it went back to its queue.",
        "RELEASED": "Its worker is stopping, and put it back to its queue.",
        "REQUEUED": "It had ended, and was put back by hand.",
    },
)
_show(
    OnConflict,
    "OnConflict",
    "What an enqueue does when an instance with its singleton key has not ended.",
    {
        "RETURN": "Gives the newest living instance back.",
        "REFUSE": "Is refused with SINGLETON_CONFLICT.",
        "REPLACE": "Cancels every living instance of the key; the new one waits for their end.",
    },
)
_show(
    CancelOutcome,
    "CancelOutcome",
    "What a cancel found.",
    {
        "CANCELLED": "It had not started, or waited: it is cancelled now.",
        "REQUESTED": "A worker holds it, and was asked to cancel it.",
        "ALREADY_ENDED": "It had ended before; nothing was changed.",
    },
)
_show(
    Order,
    "WorkflowInstanceOrder",
    "The order of a list of instances.",
    {
        "NEWEST_FIRST": "By the time of creation, latest first.",
        "OLDEST_FIRST": "By the time of creation, earliest first.",
    },
)
