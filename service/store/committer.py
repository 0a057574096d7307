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
from service.store.batch import Write, perform
from service.store.database import Database

T = TypeVar("T")
_LARGEST_BATCH = 500

Feed = Callable[[Sequence[Event]], None]
_Waiting = tuple[Write[Any], "asyncio.Future[Any]"]


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
            # What is freed by the writes of this moment is claimed in the same commit.
            await asyncio.sleep(0)  # noqa: TID251 - one turn of the loop, no time
            while self._waiting:
                await self._commit(self._take())
        finally:
            self._worker = None

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
            answers, events = await self._database.transaction(lambda tx: perform(tx, writes))
        except WorkflowError as refusal:
            for _, answer in group:
                _answer(answer, refusal)
        except Exception as error:
            if len(group) == 1:
                _answer(group[0][1], error)
                return
            middle = len(group) // 2
            await self._commit(group[:middle])
            await self._commit(group[middle:])
        else:
            if events:
                self._feed(events)
            for (_, future), answer in zip(group, answers, strict=True):
                _answer(future, answer)


def _answer(future: asyncio.Future[Any], answer: object) -> None:
    if future.done():
        return
    if isinstance(answer, Exception):
        future.set_exception(answer)
    else:
        future.set_result(answer)
