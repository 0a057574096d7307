"""The log, for whoever wants to read it: what was, and what comes."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Protocol

from service.domain import cursor
from service.domain.cursor import LogCursor
from service.domain.errors import CursorExpired, Fault, InvalidParams
from service.domain.events import Event
from service.domain.interest import Interest
from service.emitter import Closed, Emitter
from service.operations.page import Page, Window, page_of

BATCH = 100

Found = tuple[Sequence[Event], int]


class Log(Protocol):
    """What following needs of the log in the database."""

    async def head(self) -> LogCursor:
        """Return where the log ends now."""
        ...

    async def resolve(self, cursor: LogCursor) -> int:
        """Return the cursor's position, or raise InvalidCursor or CursorExpired."""
        ...

    async def oldest(self) -> int:
        """Return the position just before the oldest event that is left."""
        ...

    async def after(self, position: int, interest: Interest, limit: int) -> Found:
        """Return matches in order, and the position up to which the log was searched.

        There may be fewer than `limit` though more follow. Raises CursorExpired when events after
        the position were pruned.
        """
        ...

    async def of_instance(self, instance_id: str, after: int, limit: int) -> Sequence[Event]:
        """Return the instance's events after the position, in order."""
        ...


class Events:
    """Reads and follows the log.

    Following is one loop over a position: from the ring while the position is inside, from the
    log when it is not, and parked when everything was seen.
    """

    def __init__(self, log: Log, emitter: Emitter) -> None:
        self._log = log
        self._emitter = emitter
        self._readings: dict[tuple[int, Interest], asyncio.Future[Found]] = {}

    @staticmethod
    def cursor_of(event: Event) -> str:
        """Return the cursor that stands at the event."""
        return cursor.encode(event.position, event.mark)

    async def follow(self, interest: Interest, after: str | None) -> AsyncGenerator[Event]:
        """Yield each matching event after the cursor exactly once, in order, and then as they come.

        None starts now, "" at the oldest event left. The cursor is checked before the first event:
        raises InvalidCursor or CursorExpired. It ends when the service stops.
        """
        async with aclosing(self.batches(interest, after)) as batches:
            async for events in batches:
                for event in events:
                    yield event

    async def batches(
        self, interest: Interest, after: str | None
    ) -> AsyncGenerator[Sequence[Event]]:
        """Yield what `follow` yields, as many events at a time as are there, at most 100.

        Readers that ask for the same at the same position are given the same sequence.
        """
        with self._emitter.listening():
            position = await self._start(after)
            untold = after == ""
            while not self._emitter.closed:
                try:
                    events, position = await self._next(position, interest)
                except CursorExpired:
                    if not untold:
                        raise
                    position = await self._log.oldest()
                except Closed:
                    return
                else:
                    if events:
                        untold = False
                        yield events

    async def page(self, instance_id: str, window: Window) -> Page[Event]:
        """Return a page of the instance's events, oldest first; forward only.

        Raises InvalidParams for a page from the end, InvalidCursor and CursorExpired.
        """
        if window.backward or window.before is not None:
            fault = Fault(["last"], "events are paged forward only: give `first` and `after`")
            raise InvalidParams([fault])
        start = 0 if window.after is None else await self._start(window.after)
        rows = await self._log.of_instance(instance_id, start, window.size + 1)
        return page_of(window, rows, self.cursor_of)

    async def _start(self, after: str | None) -> int:
        """Return where to read on from: judged by the database, for the ring may be behind it."""
        if after is None:
            return (await self._log.head()).position
        if not after:
            return await self._log.oldest()
        return await self._log.resolve(cursor.decode(after))

    async def _next(self, position: int, interest: Interest) -> Found:
        """Return what comes after the position; maybe nothing, with a position further on."""
        found = self._emitter.after(position, interest, BATCH)
        if found is None:
            return await self._replay(position, interest)
        events, position = found
        return found if events else ((), await self._emitter.park(interest, position))

    async def _replay(self, position: int, interest: Interest) -> Found:
        """Read the log, once for all who ask for the same at this moment."""
        question = (position, interest)
        reading = self._readings.get(question)
        if reading is None:
            reading = asyncio.ensure_future(self._log.after(position, interest, BATCH))
            self._readings[question] = reading
            reading.add_done_callback(lambda done: self._forget(question, done))
        return await asyncio.shield(reading)

    def _forget(self, question: tuple[int, Interest], reading: asyncio.Future[Found]) -> None:
        del self._readings[question]
        if not reading.cancelled():
            reading.exception()
