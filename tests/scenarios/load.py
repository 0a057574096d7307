"""Callers that go on enqueueing and cancelling while the server comes and goes."""

import asyncio
import random
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from service.client import Client, Enqueue
from tests.scenarios.notes import Notes

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


class Load:
    """Calls by a client that repeats what was not answered; all that was is remembered."""

    def __init__(self, client: Client, notes: Notes, chance: random.Random) -> None:
        self.acknowledged: list[Acknowledged] = []
        self.together: list[Acknowledged] = []
        self._client = client
        self._notes = notes
        self._chance = chance
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
            for _ in range(CALLERS):
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
        name, params = self._work(str(number))
        request_id, key = f"request-{number}", f"key-{number}"
        handle = await self._client.enqueue(
            name, params, idempotency_key=key, request_id=request_id
        )
        assert handle.created, f"{request_id} was answered as if it were another"
        self.acknowledged.append(
            Acknowledged(
                request_id=request_id,
                key=key,
                name=name,
                params=params,
                id=handle.id,
                cursor=handle.cursor,
            )
        )
        if self._chance.random() < CANCELLED:
            await asyncio.sleep(self._chance.uniform(0, 0.05))
            await handle.cancel()

    async def _enqueue_many(self, number: int) -> None:
        request_id = f"request-{number}"
        works = [self._work(f"{number}/{part}") for part in range(TOGETHER)]
        items = [Enqueue(name=name, params=params) for name, params in works]
        handles = await self._client.enqueue_many(items, request_id=request_id)
        self.together.extend(
            Acknowledged(
                request_id=request_id,
                key="",
                name=name,
                params=params,
                id=handle.id,
                cursor=handle.cursor,
            )
            for handle, (name, params) in zip(handles, works, strict=True)
        )

    def _work(self, tag: str) -> tuple[str, Mapping[str, Any]]:
        name = self._chance.choice(("job", "job", "job-once", "stages", "falters", "laps"))
        seconds = self._chance.choice((0, 0, 0.01, 0.1))
        params = {"file": self._notes.file, "tag": tag, "seconds": seconds}
        return name, {"job": params, "left": 2} if name == "laps" else params
