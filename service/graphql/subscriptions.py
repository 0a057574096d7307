"""What may be followed."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import Annotated

import strawberry

from service.domain import cursor, events, instance
from service.domain.errors import NotFound
from service.domain.interest import Interest
from service.graphql import arguments
from service.graphql.context import Info
from service.graphql.enums import EventType
from service.graphql.types import WorkflowEvent, WorkflowInstance

_Of = Annotated[
    strawberry.ID | None,
    strawberry.argument(name="instanceID", description="Only of this instance."),
]
_Name = Annotated[str | None, strawberry.argument(description="Only of this workflow's instances.")]
_Queue = Annotated[str | None, strawberry.argument(description="Only of instances in this queue.")]
_Types = Annotated[
    list[EventType] | None, strawberry.argument(description="Only events of these types.")
]
_After = Annotated[
    str | None,
    strawberry.argument(
        description=(
            "Begin right after this cursor of the log: each matching event comes exactly once, in "
            'order. Absent: from now on. `""`: from the oldest event that is left.'
        )
    ),
]


@strawberry.type(description="What may be followed, over a WebSocket (graphql-transport-ws).")
class Subscription:
    """What may be followed. A source may hand over several payloads at a time, in a sequence."""

    @strawberry.subscription(
        graphql_type=WorkflowEvent,
        description="The log as it grows, filtered: all that is given must match.",
    )
    def workflow_events(
        self,
        info: Info,
        instance_id: _Of = None,
        name: _Name = None,
        queue: _Queue = None,
        types: _Types = None,
        after: _After = None,
    ) -> AsyncIterator[Sequence[events.Event]]:
        """Follow the log."""
        interest = Interest(
            instance_id=instance_id,
            name=name,
            queue=queue,
            types=None if types is None else frozenset(types),
        )
        return info.context.events.batches(interest, after)

    @strawberry.subscription(
        graphql_type=WorkflowInstance,
        description=(
            "One instance: as it stands now, then as it stands after changes. Changes that come "
            "faster than they are read are told of as one. Ends when the instance is pruned."
        ),
    )
    async def workflow_instance(
        self, info: Info, instance_id: arguments.InstanceID
    ) -> AsyncGenerator[Sequence[instance.Instance]]:
        """Follow one instance."""
        workflows = info.context.workflows
        found = await workflows.get(instance_id)
        if found is None:
            raise NotFound(
                f"There is no instance {instance_id!r}. Ask `workflowInstances` for what there is."
            )
        yield [found]
        interest = Interest(instance_id=instance_id)
        async with aclosing(info.context.events.batches(interest, found.cursor)) as changes:
            async for batch in changes:
                if batch[-1].position <= cursor.decode(found.cursor).position:
                    continue
                found = await workflows.get(instance_id)
                if found is None:
                    return
                yield [found]
