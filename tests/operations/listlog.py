"""A log in a list, whose pace and faults a test can set."""

import asyncio
from collections.abc import Callable, Iterable

from service.domain.cursor import LogCursor
from service.domain.errors import CursorExpired, InvalidCursor, Unavailable
from service.domain.events import Event
from service.domain.interest import Interest


class ListLog:
    """Every call takes `pace` turns of the loop: what it answers was true at its start."""

    def __init__(self, pace: Callable[[], int] = lambda: 1, stride: int = 1_000_000) -> None:
        self.events: list[Event] = []
        self.pruned = 0
        self.reads = 0
        self.down = False
        self._pace = pace
        self._stride = stride

    def commit(self, made: Iterable[Event]) -> list[Event]:
        """Write the events at the next positions, and return them."""
        batch = list(made)
        for each in batch:
            each.position = len(self.events) + 1
            self.events.append(each)
        return batch

    async def head(self) -> LogCursor:
        position = len(self.events)
        mark = self.events[-1].mark if self.events else 0
        await self._take_time()
        return LogCursor(position, mark)

    async def resolve(self, cursor: LogCursor) -> int:
        await self._take_time()
        if cursor.position < self.pruned:
            raise CursorExpired("pruned")
        if cursor.position > len(self.events):
            raise InvalidCursor("past the head")
        if cursor.position and self.events[cursor.position - 1].mark != cursor.mark:
            raise InvalidCursor("another history")
        return cursor.position

    async def oldest(self) -> int:
        oldest = self.pruned
        await self._take_time()
        return oldest

    async def after(self, position: int, interest: Interest, limit: int) -> tuple[list[Event], int]:
        self.reads += 1
        if position < self.pruned:
            raise CursorExpired("pruned")
        upto = min(len(self.events), position + self._stride)
        found = [e for e in self.events[position:upto] if interest.matches(e)]
        if len(found) >= limit:
            found = found[:limit]
            upto = found[-1].position
        await self._take_time()
        return found, max(upto, position)

    async def of_instance(self, instance_id: str, after: int, limit: int) -> list[Event]:
        await self._take_time()
        found = [e for e in self.events[after:] if e.instance_id == instance_id]
        return found[:limit]

    async def _take_time(self) -> None:
        if self.down:
            raise Unavailable("The database is away.")
        for _ in range(self._pace()):
            await asyncio.sleep(0)
