"""Everything that is kept, by noun, and the one door for writing it."""

from collections.abc import Callable
from typing import TypeVar

from service.domain.errors import Unavailable
from service.store.batch import Write
from service.store.committer import Committer, Feed
from service.store.database import Database, Heard, Session
from service.store.events import EventLog
from service.store.instances import Instances
from service.store.queues import Queues
from service.store.upkeep import Agenda, agenda

T = TypeVar("T")


class Store:
    """Written once, on any `Database`. `feed` is handed every batch of events that it commits."""

    def __init__(self, database: Database, feed: Feed) -> None:
        self._database = database
        self._committer = Committer(database, feed)
        self.instances = Instances(database)
        self.events = EventLog(database)
        self.queues = Queues(database)

    async def write(self, write: Write[T]) -> T:
        """Return the write's answer once it is on disk.

        Raises its refusal, or `Unavailable` with what is known of whether it was applied.
        """
        return await self._committer.write(write)

    async def agenda(self) -> Agenda:
        """Return what there is to do, and when."""
        return agenda(await self._database.fetch("upkeep"))

    async def ready(self) -> None:
        """Return when work can be taken; raises `Unavailable` when it can't be read or written."""
        ((writable,),) = await self._database.fetch("writable")
        if not writable:
            raise Unavailable("The database takes no writes.", maybe_applied=False)

    def listen(self, heard: Heard) -> Callable[[], None] | None:
        """Have `heard` called in the running loop for what is committed; None: ask `committed`."""
        return self._database.listen(heard)

    def committed(self) -> int:
        """Return the latest log position that is known here, without waiting."""
        return self._database.committed()

    def session(self) -> Session:
        """Open a connection for a thread of its own; call it in that thread."""
        return self._database.session()

    async def close(self) -> None:
        """Finish every write and close the database."""
        await self._committer.settled()
        await self._database.close()
