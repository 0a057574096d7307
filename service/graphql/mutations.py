"""What may be done. Each takes one input, and answers after its commit is on disk."""

from collections.abc import Sequence
from typing import Annotated

import strawberry

from service.domain.errors import Fault, InvalidParams
from service.domain.queue import QueueView
from service.graphql import inputs, payloads
from service.graphql.context import Info
from service.operations.workflows import Cancelled, Enqueued, Requeued

_WHAT = strawberry.argument(description="What to do, and to what.")


@strawberry.type(description="What may be done. Each answers after its commit is on disk.")
class Mutation:
    """What may be done."""

    @strawberry.mutation(
        graphql_type=payloads.EnqueuePayload,
        description="Start a workflow, or get the instance back that a key stands for.",
    )
    async def enqueue(self, info: Info, input: Annotated[inputs.EnqueueInput, _WHAT]) -> Enqueued:
        """Start a workflow."""
        return await info.context.workflows.enqueue(input.request())

    @strawberry.mutation(
        graphql_type=payloads.EnqueueManyPayload,
        description="Start several workflows in one commit: all of them, or none.",
    )
    async def enqueue_many(
        self, info: Info, input: Annotated[inputs.EnqueueManyInput, _WHAT]
    ) -> Sequence[Enqueued]:
        """Start several workflows."""
        faults = [
            Fault(("items", index, "requestID"), "give one `requestID` for all items, beside them")
            for index, item in enumerate(input.items)
            if item.request_id is not None
        ]
        if faults:
            raise InvalidParams(faults)
        requests = [item.request() for item in input.items]
        return await info.context.workflows.enqueue_many(requests, input.request_id)

    @strawberry.mutation(
        graphql_type=payloads.CancelPayload,
        description="Cancel an instance: at once, or as soon as the worker that holds it hears.",
    )
    async def cancel(self, info: Info, input: Annotated[inputs.CancelInput, _WHAT]) -> Cancelled:
        """Cancel an instance."""
        return await info.context.workflows.cancel(input.instance_id, input.request_id)

    @strawberry.mutation(
        graphql_type=payloads.RetryPayload,
        description="Put a FAILED or CANCELLED instance back; it goes on from its checkpoint.",
    )
    async def retry(self, info: Info, input: Annotated[inputs.RetryInput, _WHAT]) -> Requeued:
        """Put an ended instance back."""
        return await info.context.workflows.retry(input.instance_id, input.request_id)

    @strawberry.mutation(
        graphql_type=payloads.PauseQueuePayload,
        description="Let a queue take instances and start none. What runs already goes on.",
    )
    async def pause_queue(
        self, info: Info, input: Annotated[inputs.PauseQueueInput, _WHAT]
    ) -> QueueView:
        """Pause a queue."""
        return await info.context.queues.pause(input.name, input.request_id)

    @strawberry.mutation(
        graphql_type=payloads.ResumeQueuePayload,
        description="Let a paused queue start instances again.",
    )
    async def resume_queue(
        self, info: Info, input: Annotated[inputs.ResumeQueueInput, _WHAT]
    ) -> QueueView:
        """Resume a queue."""
        return await info.context.queues.resume(input.name, input.request_id)
