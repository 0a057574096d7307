"""Keeps a number of calls in flight until enough were made."""

import asyncio
import time
from collections.abc import Awaitable, Callable


async def rate_of(call: Callable[[], Awaitable[object]], *, total: int, in_flight: int) -> float:
    """Return how many calls a second were answered, `in_flight` of them open at any time."""
    left = iter(range(total))

    async def caller() -> None:
        for _ in left:
            await call()

    start = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(in_flight)))
    return total / (time.perf_counter() - start)
