"""What the log of a whole run must be: contiguous, and each instance's events a legal walk."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import aclosing

from service.client import Client, Event, EventType, Status
from service.domain import cursor
from service.domain.events import TERMINAL
from service.domain.moves import MOVES


def position(text: str) -> int:
    """Return where in the log a cursor stands."""
    return cursor.decode(text).position


async def whole_log(client: Client, head: int) -> list[Event]:
    """Return the log up to the position `head`, as a subscriber from its beginning gets it."""
    events: list[Event] = []
    async with aclosing(client.watch(after="")) as stream:
        while not events or position(events[-1].cursor) < head:
            events.append(await anext(stream))
    return events


def by_instance(events: Iterable[Event]) -> Mapping[str, Sequence[Event]]:
    """Return the events of each instance, in order."""
    told: defaultdict[str, list[Event]] = defaultdict(list)
    for event in events:
        told[event.instance_id].append(event)
    return told


def check_log(events: Sequence[Event]) -> None:
    """Hold the log against what it promises: no gap, no contradiction, no end but the last."""
    positions = [position(event.cursor) for event in events]
    assert positions == list(range(1, len(events) + 1))
    for told in by_instance(events).values():
        check_walk(told)


def check_walk(told: Sequence[Event]) -> None:
    """Follow one instance's events along the moves that an instance may make."""
    status: Status | None = None
    for event in told:
        legal = [
            move
            for move in MOVES
            if move.event is event.type
            and move.target is event.status
            and status in (move.sources or (None,))
        ]
        assert legal, f"{status} → {event.type} → {event.status} in {_story(told)}"
        status = event.status
    ends = [event for event in told if event.type in TERMINAL]
    requeues = sum(event.type is EventType.REQUEUED for event in told)
    assert len(ends) in (requeues, requeues + 1), _story(told)


def _story(told: Sequence[Event]) -> str:
    return f"{told[0].instance_id}: {' '.join(event.type for event in told)}"
