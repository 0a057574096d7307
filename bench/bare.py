"""The yardstick of the HTTP figures: Strawberry with its caches, and no work behind it.

The mutation answers from memory. What is measured is the web server, the parsing of the request
and GraphQL itself: what any service on them pays.
"""

import sys
from datetime import UTC, datetime
from enum import Enum

import strawberry
import uvicorn
from strawberry.asgi import GraphQL
from strawberry.extensions import ParserCache, ValidationCache
from strawberry.scalars import JSON
from strawberry.schema.config import StrawberryConfig

_AT = datetime(2026, 1, 1, tzinfo=UTC)


@strawberry.enum
class WorkflowStatus(Enum):
    """Where an instance stands."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"


@strawberry.enum
class OnConflict(Enum):
    """What happens when a key is held."""

    RETURN = "RETURN"
    REFUSE = "REFUSE"


@strawberry.type
class WorkflowInstance:
    """What the selection reads."""

    instance_id: strawberry.ID = strawberry.field(name="instanceID")
    name: str
    queue: str
    status: WorkflowStatus
    created_at: datetime


@strawberry.type
class EnqueuePayload:
    """What the mutation answers."""

    created: bool
    cursor: str
    instance: WorkflowInstance


@strawberry.input
class EnqueueInput:
    """What the mutation takes."""

    name: str
    params: JSON | None = None
    queue: str | None = None
    priority: int | None = None
    idempotency_key: str | None = None
    singleton_key: str | None = None
    on_conflict: OnConflict = OnConflict.RETURN
    request_id: str | None = strawberry.field(name="requestID", default=None)


@strawberry.type
class Query:
    """Something to ask, since a schema needs it."""

    ready: bool = True


@strawberry.type
class Mutation:
    """Answers without doing anything."""

    @strawberry.mutation
    async def enqueue(self, input: EnqueueInput) -> EnqueuePayload:
        """Pretend."""
        instance = WorkflowInstance(
            instance_id=strawberry.ID("01890a5d-ac96-774b-bcce-b302099a8057"),
            name=input.name,
            queue=input.queue or input.name,
            status=WorkflowStatus.PENDING,
            created_at=_AT,
        )
        return EnqueuePayload(created=True, cursor="AAAAAAAAAAE", instance=instance)


schema = strawberry.Schema(
    Query,
    Mutation,
    config=StrawberryConfig(auto_camel_case=True),
    extensions=[lambda: ParserCache(maxsize=100), lambda: ValidationCache(maxsize=100)],
)
app = GraphQL(schema)


def main() -> None:
    """Serve it on the port that the command line names."""
    uvicorn.run(
        app,
        port=int(sys.argv[1]),
        loop="uvloop",
        http="httptools",
        ws="none",
        lifespan="off",
        log_level="warning",
        access_log=False,
    )


if __name__ == "__main__":
    main()
