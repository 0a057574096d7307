"""Threads that each work on one of a few lines, asked from an event loop."""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from service.store.postgres.line import Line
from service.store.postgres.link import Link
from service.store.ticket import Ticket
from service.store.waiting import Waiting

T = TypeVar("T")


class Threads:
    """As many threads as lines. `seconds` bound the wait for a line, and for its work once more."""

    def __init__(self, name: str, link: Link, count: int, seconds: float) -> None:
        self._lines = [Line(link) for _ in range(count)]
        self._idle = deque(self._lines)
        self._pool = ThreadPoolExecutor(count, thread_name_prefix=name)
        self._seconds = seconds

    async def run(self, job: Callable[[Line, Ticket], T]) -> T:
        """Run a job in a thread and return what it returns; raises `Unavailable`."""
        ticket = Ticket()
        waiting = Waiting(ticket, self._seconds)
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._pool, self._work, job, ticket
            )
        except asyncio.CancelledError:
            waiting.raise_if_over()
            raise
        finally:
            waiting.end()

    async def close(self) -> None:
        """Finish what is under way and close the connections."""
        await asyncio.to_thread(self._pool.shutdown)
        for line in self._lines:
            line.close()

    def _work(self, job: Callable[[Line, Ticket], T], ticket: Ticket) -> T:
        line = self._idle.popleft()
        try:
            return job(line, ticket)
        finally:
            self._idle.append(line)
