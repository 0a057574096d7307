"""What a GraphQL caller may see of an instance and its life.

A class here is a projection: resolvers return domain objects, and each field reads the attribute
of its own name, so nothing is copied, and what has no field here can't leak.
"""

from typing import TYPE_CHECKING, Annotated

import strawberry
from strawberry import Parent, lazy

from service.domain.events import Event
from service.domain.instance import Failure, Instance
from service.graphql import arguments
from service.graphql.context import Info
from service.graphql.enums import EventType, Status
from service.graphql.scalars import JSON, DateTime
from service.operations.page import Page, Window

if TYPE_CHECKING:
    from service.graphql.connections import WorkflowEventConnection, WorkflowFailureConnection

Failures = Annotated["WorkflowFailureConnection", lazy("service.graphql.connections")]
Events = Annotated["WorkflowEventConnection", lazy("service.graphql.connections")]


def _id(root: Parent[Instance]) -> strawberry.ID:
    return strawberry.ID(root.id)


@strawberry.type(description="One execution of a workflow.")
class WorkflowInstance:
    """Projects `domain.instance.Instance`."""

    id: strawberry.ID = strawberry.field(description="The same as `instanceID`, for caches.")
    instance_id: strawberry.ID = strawberry.field(
        resolver=_id, name="instanceID", description="What names it."
    )
    name: str = strawberry.field(description="The workflow that it executes.")
    queue: str = strawberry.field(description="The queue in which it waits.")
    status: Status = strawberry.field(description="Where it stands.")
    priority: int = strawberry.field(description="Higher ones are claimed first.")
    attempts: int = strawberry.field(
        description="Failed attempts of the current action; a checkpoint sets it back to 0."
    )
    max_attempts: int = strawberry.field(description="Attempts that the current action may take.")
    last_error: str | None = strawberry.field(description="What the last failed attempt raised.")
    input: JSON | None = strawberry.field(description="The params that it was enqueued with.")
    output: JSON | None = strawberry.field(description="Its result, once it is COMPLETED.")
    idempotency_key: str | None = strawberry.field(
        description="The key that makes a second enqueue of it give it back."
    )
    singleton_key: str | None = strawberry.field(
        description="The key of which one instance at most runs at a time."
    )
    created_at: DateTime = strawberry.field(description="When it was enqueued.")
    updated_at: DateTime = strawberry.field(description="When it last changed.")
    started_at: DateTime | None = strawberry.field(description="When it was first claimed.")
    finished_at: DateTime | None = strawberry.field(description="When it ended.")
    run_after: DateTime = strawberry.field(description="It is not claimed before.")
    cursor: str = strawberry.field(
        description=(
            "The log's head when this was read: `workflowEvents(after:)` it gives what came since."
        )
    )

    @strawberry.field(graphql_type=Failures, description="Its failed attempts, earliest first.")
    @staticmethod
    async def failures(
        root: Parent[Instance],
        info: Info,
        first: arguments.First = None,
        after: arguments.After = None,
    ) -> Page[Failure]:
        """Return a page of them."""
        window = Window(first=first, after=after)
        return info.context.spend(await info.context.workflows.failures(root.id, window))

    @strawberry.field(graphql_type=Events, description="Its events that are kept, earliest first.")
    @staticmethod
    async def events(
        root: Parent[Instance],
        info: Info,
        first: arguments.First = None,
        after: arguments.AfterEvent = None,
    ) -> Page[Event]:
        """Return a page of them."""
        window = Window(first=first, after=after)
        return info.context.spend(await info.context.events.page(root.id, window))


@strawberry.type(description="One failed attempt of an action.")
class WorkflowFailure:
    """Projects `domain.instance.Failure`."""

    action: str = strawberry.field(description="The action that failed.")
    attempt: int = strawberry.field(description="Which attempt of the action it was, from 1.")
    error_type: str = strawberry.field(description="The type of what was raised.")
    message: str = strawberry.field(description="What it said.")
    at: DateTime = strawberry.field(description="When it failed.")


def _cursor(root: Parent[Event], info: Info) -> str:
    return info.context.events.cursor_of(root)


@strawberry.type(description="One fact of an instance's life: an entry of the log.")
class WorkflowEvent:
    """Projects `domain.events.Event`."""

    cursor: str = strawberry.field(
        resolver=_cursor, description="Its place in the log: a reader can go on right after it."
    )
    type: EventType = strawberry.field(description="What happened.")
    at: DateTime = strawberry.field(description="When it happened.")
    instance_id: strawberry.ID = strawberry.field(
        name="instanceID", description="The instance to which it happened."
    )
    name: str = strawberry.field(description="The instance's workflow.")
    queue: str = strawberry.field(description="The instance's queue.")
    status: Status = strawberry.field(description="Where the instance stood after it.")
    action: str | None = strawberry.field(description="The action that it is about.")
    step: str | None = strawberry.field(description="The step that it is about.")
    attempt: int | None = strawberry.field(description="Which attempt of the action, from 1.")
    error: str | None = strawberry.field(description="What was raised.")
    data: JSON | None = strawberry.field(description="What else belongs to it.")

    @strawberry.field(
        graphql_type=WorkflowInstance | None,
        description="The instance as it stands now; null when it was pruned.",
    )
    @staticmethod
    async def instance(root: Parent[Event], info: Info) -> Instance | None:
        """Return the instance."""
        return await info.context.instances.load(root.instance_id)
