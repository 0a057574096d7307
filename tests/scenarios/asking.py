"""A caller that goes on enqueueing while the database comes and goes."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from service.bootstrap import Service
from service.domain.errors import Unavailable
from service.operations.workflows import EnqueueRequest

T = TypeVar("T")
Ask = Callable[[str], Awaitable[str]]
"""Enqueues under a request id and returns the instance's id; raises `Unavailable`."""


class Asker:
    """Enqueues one after another; what was refused is asked again under the same request id.

    `acknowledged` are the ids of what was answered. `waits` are the seconds that each refusal took.
    """

    def __init__(self, ask: Ask, pause: float = 0.0) -> None:
        self.acknowledged: list[str] = []
        self.waits: list[float] = []
        self.stopped = False
        self._ask = ask
        self._pause = pause

    async def run(self, name: str) -> None:
        """Ask until stopped, and until the last one is answered."""
        number = 0
        while not self.stopped:
            await self._insist(f"{name}-{number}")
            number += 1
            await asyncio.sleep(self._pause)

    async def _insist(self, request: str) -> None:
        while True:
            began = time.monotonic()
            try:
                self.acknowledged.append(await self._ask(request))
            except Unavailable:
                self.waits.append(time.monotonic() - began)
                await asyncio.sleep(0.02)
            else:
                return


async def outlasting(ask: Callable[[], Awaitable[T]], within: float = 60.0) -> T:
    """Ask again for as long as the database can't be reached, and return the answer."""
    async with asyncio.timeout(within):
        while True:
            try:
                return await ask()
            except Unavailable:
                await asyncio.sleep(0.02)


@asynccontextmanager
async def asking(
    service: Service, name: str, params: object = None, *, callers: int = 1, pause: float = 0.0
) -> AsyncGenerator[Asker]:
    """Enqueue for the length of the block, and until the last call is answered."""

    async def ask(request: str) -> str:
        wanted = EnqueueRequest(name=name, params=params, request_id=request)
        return (await service.workflows.enqueue(wanted)).instance.id

    asker = Asker(ask, pause)
    async with asyncio.TaskGroup() as running:
        for number in range(callers):
            running.create_task(asker.run(f"caller-{number}"))
        try:
            yield asker
        finally:
            asker.stopped = True
