"""What a GraphQL caller may see of workflows and queues."""

from collections.abc import Sequence

import strawberry
from pydantic_core import to_json
from strawberry import Parent

from service.domain import action, definition, queue, retry
from service.graphql.scalars import JSON, Long


def _base(root: Parent[retry.Retry]) -> float:
    return root.base.total_seconds()


def _cap(root: Parent[retry.Retry]) -> float:
    return root.cap.total_seconds()


@strawberry.type(description="When a failed action is tried again.")
class RetryPolicy:
    """Projects `domain.retry.Retry`."""

    max_attempts: int = strawberry.field(description="Attempts in all, the first one counted.")
    backoff: str = strawberry.field(
        description="`exponential`: the delay doubles from the base to the cap. `fixed`: it stays."
    )
    base_seconds: float = strawberry.field(
        resolver=_base, description="The first delay, in seconds."
    )
    cap_seconds: float = strawberry.field(
        resolver=_cap, description="The longest delay, in seconds."
    )
    jitter: float = strawberry.field(
        description="The part of each delay that chance may take off, from 0 to 1."
    )


def _timeout(root: Parent[action.Action]) -> float | None:
    return None if root.timeout is None else root.timeout.total_seconds()


@strawberry.type(description="One handler of a workflow.")
class WorkflowAction:
    """Projects `domain.action.Action`."""

    name: str = strawberry.field(description="Its name.")
    retry: RetryPolicy = strawberry.field(description="When it is tried again.")
    timeout_seconds: float | None = strawberry.field(
        resolver=_timeout, description="How long one attempt may take; null is unbounded."
    )


@strawberry.type(description="A workflow that is registered in this process.")
class Workflow:
    """Projects `domain.definition.Definition`."""

    name: str = strawberry.field(description="Its name, as `enqueue` takes it.")
    queue: str = strawberry.field(description="The queue in which its instances wait.")
    retry: RetryPolicy = strawberry.field(description="How its first action is retried.")
    max_lost: int = strawberry.field(
        description="Lost workers that an action survives; the next one ends the instance."
    )

    @strawberry.field(
        graphql_type=list[WorkflowAction], description="Its actions; it starts at the first."
    )
    @staticmethod
    def actions(root: Parent[definition.Definition]) -> Sequence[action.Action]:
        """Return the actions as they were declared."""
        return list(root.actions.values())

    @strawberry.field(graphql_type=JSON, description="JSON Schema of its params.")
    @staticmethod
    def input_schema(root: Parent[definition.Definition]) -> str:
        """Return the schema as JSON text."""
        return to_json(root.input.json_schema()).decode()

    @strawberry.field(graphql_type=JSON, description="JSON Schema of its output.")
    @staticmethod
    def output_schema(root: Parent[definition.Definition]) -> str:
        """Return the schema as JSON text."""
        return to_json(root.output.json_schema()).decode()


def _per(root: Parent[queue.Rate]) -> float:
    return root.per.total_seconds()


@strawberry.type(description="At most so many claims in so long.")
class RateLimit:
    """Projects `domain.queue.Rate`."""

    count: int = strawberry.field(description="Claims per period.")
    per_seconds: float = strawberry.field(resolver=_per, description="The period, in seconds.")
    burst: int = strawberry.field(description="Claims that may come at once.")


@strawberry.type(description="A lane in which instances wait.")
class Queue:
    """Projects `domain.queue.QueueView`."""

    name: str = strawberry.field(description="Its name.")
    pending: Long = strawberry.field(description="Instances that are PENDING.")
    running: Long = strawberry.field(description="Instances that are RUNNING.")
    waiting: Long = strawberry.field(description="Instances that are WAITING.")
    oldest_wait_seconds: float | None = strawberry.field(
        description="How long the one that is due longest has waited; null when none is due."
    )
    concurrency: int | None = strawberry.field(
        description="How many may run at once, over all workers; null is unbounded."
    )
    rate: RateLimit | None = strawberry.field(description="How fast it starts; null is unbounded.")
    tokens_left: float | None = strawberry.field(
        description="Claims that its rate has left now; null without a rate."
    )
    paused: bool = strawberry.field(description="Whether it takes instances and starts none.")
