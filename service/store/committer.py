"""Group commit: writes that arrive together share one transaction and one fsync.

The committer is the only one that publishes: it hands each committed batch's events on, in the
order of the log, before it answers the writers.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from service.domain.errors import WorkflowError
from service.domain.events import Event
from service.store.batch import Batch, Write, perform
from service.store.database import Database, Transaction

T = TypeVar("T")
_LARGEST_BATCH = 500

Feed = Callable[[Sequence[Event]], None]
_Waiting = tuple[Write[Any], "asyncio.Future[Any]"]
_Written = tuple[list[Any], Batch]


class Committer:
    """Collects writes while a commit is under way, and commits them together."""

    def __init__(self, database: Database, feed: Feed) -> None:
        self._database = database
        self._feed = feed
        self._waiting: deque[_Waiting] = deque()
        self._worker: asyncio.Task[None] | None = None

    async def write(self, write: Write[T]) -> T:
        """Return its answer once it is on disk, or raise its refusal."""
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((write, answer))
        if self._worker is None:
            self._worker = asyncio.create_task(self._drain(), name="committer")
        return await answer

    async def settled(self) -> None:
        """Return when nothing waits to be written."""
        while self._worker is not None:
            await asyncio.wait((self._worker,))

    async def _drain(self) -> None:
        try:
            while self._waiting:
                await self._commit_next()
        finally:
            self._worker = None

    async def _commit_next(self) -> None:
        """Commit what waits when the database's turn has come: as much as can come along."""
        earliest = len(self._waiting)
        taken: list[_Waiting] = []

        def work(tx: Transaction) -> _Written:
            if not taken:
                taken.extend(self._take())
            return perform(tx, [write for write, _ in taken])

        try:
            written = await self._database.transaction(work)
        except Exception as error:
            group = taken or [self._waiting.popleft() for _ in range(earliest)]
            await self._fail(group, error)
        else:
            self._tell(taken, written)

    def _take(self) -> list[_Waiting]:
        """Return the oldest writes of which no two touch one thing; the rest keep their order."""
        taken: list[_Waiting] = []
        touched: set[object] = set()
        left: list[_Waiting] = []
        while self._waiting and len(taken) < _LARGEST_BATCH:
            each = self._waiting.popleft()
            touches = each[0].touches
            clash = not touched.isdisjoint(touches)
            touched.update(touches)
            (left if clash else taken).append(each)
        self._waiting.extendleft(reversed(left))
        return taken

    async def _commit(self, group: list[_Waiting]) -> None:
        writes = [write for write, _ in group]
        try:
            written = await self._database.transaction(lambda tx: perform(tx, writes))
        except Exception as error:
            await self._fail(group, error)
        else:
            self._tell(group, written)

    async def _fail(self, group: list[_Waiting], error: Exception) -> None:
        """Refuse the group, or halve it until the write that is broken stands alone."""
        if isinstance(error, WorkflowError) or len(group) == 1:
            for _, answer in group:
                _answer(answer, error)
            return
        middle = len(group) // 2
        await self._commit(group[:middle])
        await self._commit(group[middle:])

    def _tell(self, group: list[_Waiting], written: _Written) -> None:
        answers, batch = written
        batch.place()
        if batch.events:
            self._feed(batch.events)
        for (_, future), answer in zip(group, answers, strict=True):
            _answer(future, answer)


def _answer(future: asyncio.Future[Any], answer: object) -> None:
    if future.done():
        return
    if isinstance(answer, Exception):
        future.set_exception(answer)
    else:
        future.set_result(answer)
