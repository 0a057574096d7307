import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from service.runtime.holding import Holding, Reason
from tests.domain.test_transitions import HELD


async def run(
    work: Callable[[Holding], Coroutine[Any, Any, None]],
) -> tuple[Holding, asyncio.Task[None]]:
    holding = Holding(HELD)
    holding.task = asyncio.create_task(work(holding))
    await asyncio.sleep(0)
    return holding, holding.task


async def perform(holding: Holding) -> None:
    """Run an author's code that sleeps, then write what it came to."""
    try:
        if holding.begin():
            await asyncio.sleep(60)
    except asyncio.CancelledError:
        pass
    finally:
        await holding.end()
    await asyncio.sleep(0)
    await asyncio.sleep(0)


async def test_code_that_runs_is_cancelled_and_what_follows_is_not() -> None:
    holding, task = await run(perform)
    assert holding.performed
    holding.interrupt(Reason.CANCELLED)
    await asyncio.sleep(0)
    holding.interrupt(Reason.LOST)
    await task
    assert task.cancelling() == 0
    assert holding.reason is Reason.LOST


async def test_code_that_has_not_started_does_not_start() -> None:
    holding = Holding(HELD)
    holding.interrupt(Reason.STOPPING)
    assert not holding.begin()
    assert not holding.performed


async def test_the_strongest_reason_counts() -> None:
    holding = Holding(HELD)
    for reason, expected in [
        (Reason.TIMED_OUT, Reason.TIMED_OUT),
        (Reason.STOPPING, Reason.TIMED_OUT),
        (Reason.CANCELLED, Reason.CANCELLED),
        (Reason.LOST, Reason.LOST),
        (Reason.CANCELLED, Reason.LOST),
    ]:
        holding.interrupt(reason)
        assert holding.reason is expected


async def test_code_that_goes_on_is_cancelled_again() -> None:
    swallowed = 0

    async def stubborn(holding: Holding) -> None:
        nonlocal swallowed
        holding.begin()
        while swallowed < 3:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                swallowed += 1
        await holding.end()

    holding, task = await run(stubborn)
    holding.insist()
    await asyncio.sleep(0)
    assert swallowed == 0
    holding.interrupt(Reason.CANCELLED)
    for _ in range(5):
        await asyncio.sleep(0)
        holding.insist()
    await task
    assert swallowed == 3


@pytest.mark.parametrize("count", [1, 3])
async def test_cancellations_that_came_too_late_are_taken_back(count: int) -> None:
    async def work(holding: Holding) -> None:
        holding.begin()
        for _ in range(count):
            holding.interrupt(Reason.CANCELLED)
        await holding.end()
        await asyncio.sleep(0)

    _, task = await run(work)
    await task
    assert task.cancelling() == 0
