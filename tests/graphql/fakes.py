"""Operations that answer from memory, and count how often they are asked."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Any, cast

from service.domain.events import Event, EventType
from service.domain.instance import Instance, Status
from service.domain.interest import Interest
from service.graphql.asking import GraphQL
from service.graphql.context import Context
from service.operations.events import Events
from service.operations.queues import Queues
from service.operations.workflows import Workflows
from service.settings import Settings


def instance(number: int = 1, **facts: Any) -> Instance:
    known: dict[str, Any] = {
        "id": f"i{number}",
        "name": "order",
        "queue": "order",
        "status": Status.RUNNING,
        "priority": 0,
        "attempts": 0,
        "max_attempts": 1,
        "last_error": None,
        "input": '{"cents":5}',
        "output": None,
        "idempotency_key": None,
        "singleton_key": None,
        "cancel_requested": False,
        "run_after": number,
        "created_at": number,
        "updated_at": number,
        "started_at": None,
        "finished_at": None,
        "cursor": "",
    }
    return Instance(**{**known, **facts})


def event(position: int, instance_id: str = "i1") -> Event:
    return Event(
        type=EventType.CHECKPOINT,
        at=position,
        instance_id=instance_id,
        name="order",
        queue="order",
        status=Status.RUNNING,
        position=position,
    )


class FakeWorkflows:
    """Knows every instance whose id begins with i; `asked` are the ids of each read."""

    def __init__(self) -> None:
        self.asked: list[Sequence[str]] = []
        self.known_facts: dict[str, Any] = {}

    async def get(self, instance_id: str) -> Instance | None:
        return instance(**self.known_facts)

    async def get_many(self, ids: Sequence[str]) -> list[Instance | None]:
        self.asked.append(ids)
        return [instance(int(each[1:])) if each[0] == "i" else None for each in ids]


class FakeEvents:
    """Gives every follower the batches; `open` counts those that are being read."""

    cursor_of = staticmethod(Events.cursor_of)

    def __init__(self, batches: Sequence[Sequence[Event]]) -> None:
        self.given = batches
        self.open = 0
        self.error: Exception | None = None

    async def batches(
        self, interest: Interest, after: str | None
    ) -> AsyncGenerator[Sequence[Event]]:
        self.open += 1
        try:
            await asyncio.sleep(0.01)
            for batch in self.given:
                yield batch
            if self.error is not None:
                raise self.error
        finally:
            self.open -= 1


def graphql(workflows: object, events: object = None, queues: object = None) -> GraphQL:
    return GraphQL(
        lambda: Context(
            cast("Workflows", workflows), cast("Events", events), cast("Queues", queues)
        ),
        Settings.read(),
    )
