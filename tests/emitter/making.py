"""Makes events, by position."""

import asyncio
from collections.abc import Iterable

from service.domain.events import Event, EventType
from service.domain.instance import Status


def event(
    position: int,
    instance_id: str = "i0",
    name: str = "order",
    queue: str = "orders",
    type: EventType = EventType.CHECKPOINT,
    data: str | None = None,
) -> Event:
    return Event(
        type=type,
        at=position * 1000,
        instance_id=instance_id,
        name=name,
        queue=queue,
        status=Status.RUNNING,
        data=data,
        position=position,
    )


def events(positions: Iterable[int], instance_id: str = "i0") -> list[Event]:
    return [event(position, instance_id) for position in positions]


async def turns(count: int = 5) -> None:
    """Let whatever is ready run."""
    for _ in range(count):
        await asyncio.sleep(0)
