"""Callers that go on enqueueing and cancelling while the server comes and goes."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

from service.client import Client, Enqueue, Event, Status

MINUTE = 60.0
CALLERS = 12
CANCELLED = 0.1
"""Part of the enqueued that is cancelled right away."""
TOGETHER = 5
"""How many are enqueued by one call, now and then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledged:
    """An enqueue that was answered: what was asked under which identity, and the instance."""

    request_id: str
    key: str
    name: str
    params: Mapping[str, Any]
    id: str
    cursor: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be enqueued."""

    name: str
    params: Mapping[str, Any]
    queue: str | None = None


class Load:
    """Calls by a client that repeats what was not answered; all that was is remembered.

    `work` chooses what is enqueued, by a tag that is the call's own; what two loads on one database
    ask differs by their `prefix`.
    """

    def __init__(
        self,
        client: Client,
        chance: random.Random,
        work: Callable[[str], Asked],
        *,
        prefix: str = "",
        callers: int = CALLERS,
    ) -> None:
        self.acknowledged: list[Acknowledged] = []
        self.together: list[Acknowledged] = []
        self._client = client
        self._chance = chance
        self._work = work
        self._prefix = prefix
        self._callers = callers
        self._numbers = count()
        self._stopping = False

    @property
    def ids(self) -> list[str]:
        """Return the id of every instance that was acknowledged."""
        return [each.id for each in (*self.acknowledged, *self.together)]

    def stop(self) -> None:
        """Have `run` end, once every call under way is answered."""
        self._stopping = True

    async def run(self) -> None:
        """Call, and call again, until stopped."""
        async with asyncio.TaskGroup() as callers:
            for _ in range(self._callers):
                callers.create_task(self._call())

    async def _call(self) -> None:
        while not self._stopping:
            number = next(self._numbers)
            if number % 20 == 0:
                await self._enqueue_many(number)
            else:
                await self._enqueue(number)
            await asyncio.sleep(self._chance.uniform(0, 0.05))

    async def _enqueue(self, number: int) -> None:
        asked = self._work(f"{self._prefix}{number}")
        request_id, key = f"{self._prefix}request-{number}", f"{self._prefix}key-{number}"
        handle = await self._client.enqueue(
            asked.name,
            asked.params,
            queue=asked.queue,
            idempotency_key=key,
            request_id=request_id,
        )
        assert handle.created, f"{request_id} was answered as if it were another"
        self.acknowledged.append(
            Acknowledged(
                request_id=request_id,
                key=key,
                name=asked.name,
                params=asked.params,
                id=handle.id,
                cursor=handle.cursor,
            )
        )
        if self._chance.random() < CANCELLED:
            await asyncio.sleep(self._chance.uniform(0, 0.05))
            await handle.cancel()

    async def _enqueue_many(self, number: int) -> None:
        request_id = f"{self._prefix}request-{number}"
        works = [self._work(f"{self._prefix}{number}/{part}") for part in range(TOGETHER)]
        items = [Enqueue(name=each.name, params=each.params, queue=each.queue) for each in works]
        handles = await self._client.enqueue_many(items, request_id=request_id)
        self.together.extend(
            Acknowledged(
                request_id=request_id,
                key="",
                name=asked.name,
                params=asked.params,
                id=handle.id,
                cursor=handle.cursor,
            )
            for handle, asked in zip(handles, works, strict=True)
        )


@asynccontextmanager
async def following(client: Client, seen: list[Event]) -> AsyncIterator[None]:
    """Follow the log from its beginning into `seen` for the length of the block."""

    async def follow() -> None:
        async with aclosing(client.watch(after="")) as events:
            async for event in events:
                seen.append(event)  # noqa: PERF401 - each as it comes

    task = asyncio.create_task(follow())
    try:
        yield
        assert not task.done()
    finally:
        task.cancel()
        await asyncio.wait((task,))


@asynccontextmanager
async def loading(load: Load) -> AsyncIterator[None]:
    """Load the server for the length of the block, and until every call is answered."""
    task = asyncio.create_task(load.run())
    try:
        yield
        load.stop()
        async with asyncio.timeout(MINUTE):
            await task
    finally:
        task.cancel()


async def all_ended(client: Client) -> None:
    """Wait until no instance is left that has not ended."""
    live = [Status.PENDING, Status.RUNNING, Status.WAITING]
    async with asyncio.timeout(MINUTE):
        while [each async for each in client.list(statuses=live)]:
            await asyncio.sleep(0.1)
