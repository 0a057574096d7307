"""What mutations answer: each projects what its operation returns."""

from collections.abc import Sequence

import strawberry
from strawberry import Parent

from service.domain.queue import QueueView
from service.graphql.catalog import Queue
from service.graphql.enums import CancelOutcome
from service.graphql.types import WorkflowInstance
from service.operations.workflows import Enqueued


@strawberry.type(description="What was enqueued, or was there.")
class EnqueuePayload:
    """Projects `Enqueued`."""

    instance: WorkflowInstance = strawberry.field(description="The instance.")
    created: bool = strawberry.field(
        description="False when a key gave an instance back that was there before."
    )
    cursor: str = strawberry.field(
        description=(
            "The place of its ENQUEUED event in the log, or of the log's head when it was there: "
            "`workflowEvents(after:)` it gives what comes next."
        )
    )


@strawberry.type(description="What was enqueued, or was there, in the order of the input.")
class EnqueueManyPayload:
    """Projects a sequence of `Enqueued`."""

    @strawberry.field(
        graphql_type=list[EnqueuePayload], description="One for each item of the input."
    )
    @staticmethod
    def results(root: Parent[Sequence[Enqueued]]) -> Sequence[Enqueued]:
        """Return the sequence itself."""
        return root


@strawberry.type(description="What a cancel found.")
class CancelPayload:
    """Projects `Cancelled`."""

    instance: WorkflowInstance = strawberry.field(description="The instance as it stands now.")
    outcome: CancelOutcome = strawberry.field(description="What the cancel did.")
    cursor: str = strawberry.field(
        description="A place in the log: `workflowEvents(after:)` it gives what comes next."
    )


@strawberry.type(description="What was put back.")
class RetryPayload:
    """Projects `Requeued`."""

    instance: WorkflowInstance = strawberry.field(description="The instance as it stands now.")
    cursor: str = strawberry.field(
        description="A place in the log: `workflowEvents(after:)` it gives what comes next."
    )


@strawberry.type(description="What was paused.")
class PauseQueuePayload:
    """Projects a `QueueView`."""

    @strawberry.field(graphql_type=Queue, description="The queue as it stands now.")
    @staticmethod
    def queue(root: Parent[QueueView]) -> QueueView:
        """Return the queue itself."""
        return root


@strawberry.type(description="What was resumed.")
class ResumeQueuePayload:
    """Projects a `QueueView`."""

    @strawberry.field(graphql_type=Queue, description="The queue as it stands now.")
    @staticmethod
    def queue(root: Parent[QueueView]) -> QueueView:
        """Return the queue itself."""
        return root
