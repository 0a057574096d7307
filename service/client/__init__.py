"""The Python client: start workflows of a running service, await them, follow them."""

from service.client.client import Client
from service.client.errors import (
    ClientError,
    ConnectionFailed,
    RequestRefused,
    UnexpectedAnswer,
    WorkflowCancelled,
    WorkflowEnded,
    WorkflowFailed,
)
from service.client.handle import Handle
from service.client.models import (
    Cancelled,
    Enqueue,
    Event,
    Failure,
    Instance,
    Queue,
)
from service.domain.events import EventType
from service.domain.instance import CancelOutcome, OnConflict, Status
from service.domain.listing import Order

__all__ = [
    "CancelOutcome",
    "Cancelled",
    "Client",
    "ClientError",
    "ConnectionFailed",
    "Enqueue",
    "Event",
    "EventType",
    "Failure",
    "Handle",
    "Instance",
    "OnConflict",
    "Order",
    "Queue",
    "RequestRefused",
    "Status",
    "UnexpectedAnswer",
    "WorkflowCancelled",
    "WorkflowEnded",
    "WorkflowFailed",
]
