"""Which instances a list shows, and in which order."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from service.domain.clock import Instant
from service.domain.instance import Status


class Order(StrEnum):
    """The order of a list of instances: by creation, and by id where that is equal."""

    NEWEST_FIRST = "NEWEST_FIRST"
    OLDEST_FIRST = "OLDEST_FIRST"


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceFilter:
    """All that is given must match; None matches everything, and an empty sequence nothing.

    `created_after` is inclusive, `created_before` is exclusive.
    """

    names: Sequence[str] | None = None
    queues: Sequence[str] | None = None
    statuses: Sequence[Status] | None = None
    idempotency_key: str | None = None
    singleton_key: str | None = None
    created_after: Instant | None = None
    created_before: Instant | None = None
    order: Order = Order.NEWEST_FIRST
