"""What may be asked."""

from collections.abc import Sequence
from typing import Annotated

import strawberry

from service.domain import definition, instance
from service.domain import queue as queue_domain
from service.domain.listing import InstanceFilter
from service.graphql import arguments
from service.graphql.catalog import Queue, Workflow
from service.graphql.connections import WorkflowInstanceConnection
from service.graphql.context import Info
from service.graphql.enums import Order
from service.graphql.inputs import WorkflowInstanceFilter
from service.graphql.types import WorkflowInstance
from service.operations.page import Page, Window

_Filter = Annotated[
    WorkflowInstanceFilter | None, strawberry.argument(description="Which instances.")
]
_OrderBy = Annotated[Order | None, strawberry.argument(description="In which order.")]


@strawberry.type(description="What may be asked.")
class Query:
    """What may be asked."""

    @strawberry.field(
        graphql_type=WorkflowInstance | None,
        description="One instance; null when there is none, or none any more.",
    )
    async def workflow_instance(
        self, info: Info, instance_id: arguments.InstanceID
    ) -> instance.Instance | None:
        """Return one instance."""
        return await info.context.workflows.get(instance_id)

    @strawberry.field(
        graphql_type=WorkflowInstanceConnection,
        description="Instances by page, newest first by default.",
    )
    async def workflow_instances(
        self,
        info: Info,
        filter: _Filter = None,
        order_by: _OrderBy = Order.NEWEST_FIRST,
        first: arguments.First = None,
        after: arguments.After = None,
        last: arguments.Last = None,
        before: arguments.Before = None,
    ) -> Page[instance.Instance]:
        """Return a page of instances."""
        order = order_by or Order.NEWEST_FIRST
        wanted = filter.filter(order) if filter else InstanceFilter(order=order)
        window = Window(first=first, after=after, last=last, before=before)
        return info.context.spend(await info.context.workflows.list(wanted, window))

    @strawberry.field(
        graphql_type=list[Workflow],
        description="The workflows that are registered in this process.",
    )
    def workflows(self, info: Info) -> Sequence[definition.Definition]:
        """Return them."""
        return info.context.workflows.known()

    @strawberry.field(
        graphql_type=list[Queue], description="The queues: how much waits, and what bounds them."
    )
    async def queues(self, info: Info) -> Sequence[queue_domain.QueueView]:
        """Return them."""
        return await info.context.queues.list()
