"""Reading the log from a cursor on, as a reader in the process does and as a browser does."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from service.bootstrap import Service
from service.domain.events import Event
from service.domain.interest import EVERYTHING
from tests.scenarios.history import position
from tests.scenarios.inside import Site
from tests.web.running import Talk

FOLLOW = """subscription S($id: ID, $after: String!) {
  workflowEvents(instanceID: $id, after: $after) { cursor type instanceID }
}"""


async def told_after(talk: Talk, cursor: str, **wanted: Any) -> AsyncGenerator[dict[str, Any]]:
    """Subscribe after the cursor, and yield events for as long as the socket is there."""
    await talk.subscribe("1", FOLLOW, after=cursor, **wanted)
    while True:
        yield await talk.next()


async def follow(service: Service, after: str, upto: int) -> list[Event]:
    """Return the log after the cursor, up to a position, as a reader gets it."""
    seen: list[Event] = []
    async with aclosing(service.events.follow(EVERYTHING, after)) as events:
        async for event in events:
            seen.append(event)
            if event.position >= upto:
                break
    return seen


async def collected(page: Site, after: str, upto: int) -> list[str]:
    """Return the cursors of the log after one, up to a position, as a browser gets them."""
    seen: list[str] = []
    async with page.talk() as talk, aclosing(told_after(talk, after)) as stream:
        async for event in stream:
            seen.append(event["cursor"])
            if position(event["cursor"]) >= upto:
                break
    return seen
