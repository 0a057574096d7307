"""One process on the database: what it commits, and what goes wrong for it."""

import asyncio
from collections.abc import Sequence
from typing import Any

from service.domain.clock import Clock
from service.domain.errors import Unavailable, WorkflowError
from service.domain.events import Event
from service.store.opening import open_database
from service.store.store import Store
from tests.store.properties.deed import Deed
from tests.store.properties.faulty import Fault, FaultyDatabase


class Process:
    """A store of its own. `fed` is what it handed to its subscribers."""

    def __init__(self, database: FaultyDatabase) -> None:
        self._database = database
        self.fed: list[Event] = []
        self.store = Store(database, self._feed)

    @classmethod
    async def open(cls, url: str, clock: Clock) -> "Process":
        """Open the database as one process more."""
        opened = cls(FaultyDatabase(await open_database(url, busy_timeout=30, clock=clock)))
        opened.store.listen(lambda position, events: None)
        return opened

    async def do(self, deeds: Sequence[Deed], fault: Fault | None = None) -> list[Any]:
        """Write all of them at once; return the answer, the refusal or the outage of each."""
        self._database.fault = fault
        writing = [self.store.write(deed.write) for deed in deeds]
        answers = await asyncio.gather(*writing, return_exceptions=True)
        for answer in answers:
            if isinstance(answer, BaseException) and not isinstance(answer, WorkflowError):
                raise answer
        return answers

    async def hear(self, head: int, seconds: float) -> None:
        """Wait until it knows that the log goes so far: on SQLite it must at once."""
        async with asyncio.timeout(seconds):
            while self.store.committed() != head:
                await asyncio.sleep(0.001)

    def _feed(self, events: Sequence[Event]) -> None:
        self.fed.extend(events)


def lost(answer: object) -> bool:
    """Return whether nothing was heard of a write."""
    return isinstance(answer, Unavailable)
