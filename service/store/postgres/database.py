"""PostgreSQL as a `Database`: one connection that writes, a few that read, one that listens."""

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from service.domain.clock import Clock
from service.domain.events import Event
from service.store.database import Heard, Params, Row, Work
from service.store.postgres.ear import Ear
from service.store.postgres.line import Line
from service.store.postgres.link import Link
from service.store.postgres.listener import Listener
from service.store.postgres.poller import Poller
from service.store.postgres.threads import Threads
from service.store.ticket import Ticket

T = TypeVar("T")
_READERS = 2


class PostgresSession:
    """A connection for a thread of the caller's."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._line = Line(link)

    def transaction(self, work: Work[T]) -> T:
        """Run `work` atomically; give up when it could not be done in `busy_timeout`."""
        ticket = Ticket()
        timer = threading.Timer(self._link.busy_timeout, ticket.over.set)
        timer.daemon = True
        timer.start()
        try:
            return self._line.write(work, ticket)
        finally:
            timer.cancel()

    def close(self) -> None:
        """Close the connection."""
        self._line.close()


class PostgresDatabase:
    """One PostgreSQL database, opened. No call takes longer than twice the link's time-out.

    News comes by way of `ear`; where there is none, it is asked for each `poll` seconds.
    """

    def __init__(self, link: Link, ear: Link | None, clock: Clock, *, poll: float) -> None:
        self._link = link
        self._ear = ear
        self._clock = clock
        self._poll = poll
        self._writer = Threads("writer", link, 1, link.busy_timeout)
        self._readers = Threads("reader", link, _READERS, link.busy_timeout)
        self._listener: Ear | None = None
        self._committed = 0

    async def fetch(self, name: str, params: Params = ()) -> list[Row]:
        """Return the rows of one statement on its own."""
        return await self._readers.run(lambda line, _: line.fetch(name, params))

    async def read(self, work: Work[T]) -> T:
        """Run `work` on one snapshot."""
        return await self._readers.run(lambda line, _: line.read(work))

    async def transaction(self, work: Work[T]) -> T:
        """Run `work` atomically, again where that is safe, until its time is over."""
        return await self._writer.run(lambda line, ticket: line.write(work, ticket))

    def listen(self, heard: Heard) -> Callable[[], None]:
        """Call `heard` after each commit by anybody."""

        def hear(position: int, events: Sequence[Event]) -> None:
            self._committed = max(self._committed, position)
            heard(position, events)

        if self._ear is None:
            self._listener = Poller(self._clock, hear, self._head, self._poll)
        else:
            self._listener = Listener(self._ear, self._clock, hear, self._head)
        return self._listener.stop

    def committed(self) -> int:
        """Return the latest log position that was heard of."""
        return self._committed

    def session(self) -> PostgresSession:
        """Open a connection for the calling thread."""
        return PostgresSession(self._link)

    async def close(self) -> None:
        """Finish what is under way and close every connection."""
        if self._listener is not None:
            await self._listener.close()
        await self._writer.close()
        await self._readers.close()

    async def _head(self) -> int:
        return (await self.fetch("head"))[0][0]
