"""What mutations and lists take."""

from collections.abc import Mapping
from typing import Any, TypeVar

import strawberry
from strawberry.schema.name_converter import NameConverter
from strawberry.types.base import StrawberryObjectDefinition

from service.domain.listing import InstanceFilter
from service.graphql.enums import OnConflict, Order, Status
from service.graphql.scalars import JSON, DateTime
from service.operations.workflows import EnqueueRequest

_REQUEST_ID = (
    "Names this request: repeating it with the same one gives the first answer, and does nothing "
    "twice. Made by the server when absent."
)

T = TypeVar("T")


def _flat(kind: type[T]) -> type[T]:
    """Make an input, which holds no other input, from the values as the library has read them.

    The library would look up each field and its type again: a quarter of an enqueue's GraphQL.
    """
    definition: StrawberryObjectDefinition = vars(kind)["__strawberry_definition__"]
    convert = NameConverter().from_field
    names = {convert(field): field.python_name for field in definition.fields}

    def build(_: type, values: Mapping[str, Any], __: object) -> Any:
        return kind(**{names[name]: value for name, value in values.items()})

    definition.from_input = build
    return kind


@_flat
@strawberry.input(description="What to start.")
class EnqueueInput:
    """Becomes an `EnqueueRequest`."""

    name: str = strawberry.field(description="The workflow, as the `workflows` query lists it.")
    params: JSON | None = strawberry.field(
        default=None, description="Its input, which has to fit the workflow's `inputSchema`."
    )
    queue: str | None = strawberry.field(
        default=None, description="The queue to wait in; by default the workflow's own."
    )
    priority: int | None = strawberry.field(
        default=None, description="Higher ones are claimed first; by default 0."
    )
    idempotency_key: str | None = strawberry.field(
        default=None,
        description=(
            "The same key of the same workflow gives the same instance back, for as long as it is "
            "kept."
        ),
    )
    singleton_key: str | None = strawberry.field(
        default=None, description="Of the instances with this key, at most one runs at a time."
    )
    on_conflict: OnConflict | None = strawberry.field(
        default=OnConflict.RETURN,
        description="What to do when an instance with the singleton key has not ended.",
    )
    request_id: str | None = strawberry.field(
        default=None, name="requestID", description=_REQUEST_ID
    )

    def request(self) -> EnqueueRequest:
        """Return what the operation takes."""
        return EnqueueRequest(
            name=self.name,
            params=self.params,
            queue=self.queue,
            priority=self.priority,
            idempotency_key=self.idempotency_key,
            singleton_key=self.singleton_key,
            on_conflict=self.on_conflict or OnConflict.RETURN,
            request_id=self.request_id,
        )


@strawberry.input(description="What to start, all together.")
class EnqueueManyInput:
    """Several enqueues in one commit."""

    items: list[EnqueueInput] = strawberry.field(
        description="Each is enqueued, or none is. One `requestID` stands for all of them."
    )
    request_id: str | None = strawberry.field(
        default=None, name="requestID", description=_REQUEST_ID
    )


@strawberry.input(description="What to cancel.")
class CancelInput:
    """One instance."""

    instance_id: strawberry.ID = strawberry.field(
        name="instanceID", description="What names the instance."
    )
    request_id: str | None = strawberry.field(
        default=None, name="requestID", description=_REQUEST_ID
    )


@strawberry.input(description="What to put back.")
class RetryInput:
    """One ended instance."""

    instance_id: strawberry.ID = strawberry.field(
        name="instanceID", description="What names the instance."
    )
    request_id: str | None = strawberry.field(
        default=None, name="requestID", description=_REQUEST_ID
    )


@strawberry.input(description="What to pause.")
class PauseQueueInput:
    """One queue."""

    name: str = strawberry.field(description="The queue.")
    request_id: str | None = strawberry.field(
        default=None, name="requestID", description=_REQUEST_ID
    )


@strawberry.input(description="What to resume.")
class ResumeQueueInput:
    """One queue."""

    name: str = strawberry.field(description="The queue.")
    request_id: str | None = strawberry.field(
        default=None, name="requestID", description=_REQUEST_ID
    )


@strawberry.input(
    description="Which instances to list: all that is given must match, exactly as it is written."
)
class WorkflowInstanceFilter:
    """Becomes an `InstanceFilter`."""

    names: list[str] | None = strawberry.field(default=None, description="Of these workflows.")
    queues: list[str] | None = strawberry.field(default=None, description="In these queues.")
    statuses: list[Status] | None = strawberry.field(default=None, description="Standing here.")
    idempotency_key: str | None = strawberry.field(
        default=None, description="With this idempotency key."
    )
    singleton_key: str | None = strawberry.field(
        default=None, description="With this singleton key."
    )
    created_after: DateTime | None = strawberry.field(
        default=None, description="Created at this time or later."
    )
    created_before: DateTime | None = strawberry.field(
        default=None, description="Created earlier than this time."
    )

    def filter(self, order: Order) -> InstanceFilter:
        """Return what the operation takes."""
        return InstanceFilter(
            names=self.names,
            queues=self.queues,
            statuses=self.statuses,
            idempotency_key=self.idempotency_key,
            singleton_key=self.singleton_key,
            created_after=self.created_after,
            created_before=self.created_before,
            order=order,
        )
