import asyncio
from dataclasses import replace
from typing import Any

import pytest

from service.domain.clock import SECOND
from service.domain.instance import Status
from service.domain.transitions import complete
from service.store.hooks import ClaimHooks, DueHook, FinishHook
from service.store.retention import Prune
from service.store.upkeep import Reclaim
from tests.clock import FakeClock
from tests.services import Process
from tests.store.making import LEASE, cancel, claim, enqueue, every_move, move, requeue, running


async def due(process: Process, *names: str, limit: int = 10) -> list[DueHook]:
    return await process.store.write(
        ClaimHooks(names=names or ("order",), limit=limit, lease=LEASE)
    )


async def ended(process: Process, **given: Any) -> str:
    held = await running(process, hooked=True, **given)
    await move(process, complete(held, "1"))
    return held.id


@pytest.mark.parametrize(
    ("end", "status", "error"),
    [
        ("complete", Status.COMPLETED, None),
        ("fail", Status.FAILED, "PaymentError: no money"),
        ("abort", Status.CANCELLED, None),
    ],
)
async def test_every_end_by_a_worker_leaves_one(
    process: Process, end: str, status: Status, error: str | None
) -> None:
    held = await running(process, hooked=True)
    if end == "abort":
        await cancel(process, held.id)
    await move(process, every_move(held)[end])
    [hook] = await due(process)
    assert (hook.instance_id, hook.name, hook.status, hook.error, hook.attempts) == (
        held.id,
        "order",
        status,
        error,
        1,
    )


async def test_a_cancel_where_no_worker_is_leaves_one(process: Process) -> None:
    placed = await enqueue(process, hooked=True)
    await cancel(process, placed.instance.id)
    [hook] = await due(process)
    assert (hook.instance_id, hook.status) == (placed.instance.id, Status.CANCELLED)


async def test_one_that_was_given_up_leaves_one(process: Process, clock: FakeClock) -> None:
    await running(process, hooked=True, max_lost=0)
    await clock.advance(31)
    await process.store.write(Reclaim(limit=5))
    [hook] = await due(process)
    assert hook.status is Status.FAILED
    assert hook.error is not None
    assert hook.error.startswith("worker lost")


@pytest.mark.parametrize("name", ["checkpoint", "hand over", "retry", "release"])
async def test_what_goes_on_leaves_none(process: Process, name: str) -> None:
    held = await running(process, hooked=True)
    await move(process, every_move(held)[name])
    assert await due(process) == []


async def test_a_workflow_without_a_hook_leaves_none(process: Process) -> None:
    held = await running(process)
    await move(process, complete(held, "1"))
    assert await due(process) == []


async def test_one_that_is_held_is_not_given_to_another(process: Process, other: Process) -> None:
    await ended(process)
    got = await asyncio.gather(*(due(each) for each in [process, other] * 3))
    assert sum(map(len, got)) == 1


async def test_one_whose_holder_is_gone_is_given_again(process: Process, clock: FakeClock) -> None:
    await ended(process)
    [first] = await due(process)
    await clock.advance(29)
    assert await due(process) == []
    await clock.advance(1)
    [second] = await due(process)
    assert (second.id, second.attempts) == (first.id, 2)
    assert second.fence > first.fence
    await process.store.write(FinishHook(hook=first))
    await clock.advance(30)
    [third] = await due(process)
    assert third.id == first.id


async def test_one_that_has_run_is_gone(process: Process, clock: FakeClock) -> None:
    await ended(process)
    [hook] = await due(process)
    await process.store.write(FinishHook(hook=hook))
    await clock.advance(100)
    assert await due(process) == []
    assert (await process.store.agenda()).next_hook is None


async def test_one_that_failed_comes_again_after_a_while(
    process: Process, clock: FakeClock
) -> None:
    await ended(process)
    [hook] = await due(process)
    await process.store.write(FinishHook(hook=hook, delay=5 * SECOND))
    assert (await process.store.agenda()).next_hook == clock.now() + 5 * SECOND
    await clock.advance(4)
    assert await due(process) == []
    await clock.advance(1)
    [again] = await due(process)
    assert again.attempts == 2


async def test_a_late_holder_postpones_nothing(process: Process, clock: FakeClock) -> None:
    await ended(process)
    [hook] = await due(process)
    await process.store.write(FinishHook(hook=replace(hook, fence=0), delay=3600 * SECOND))
    await clock.advance(30)
    assert len(await due(process)) == 1


async def test_those_of_other_workflows_are_left_to_who_knows_them(process: Process) -> None:
    for _ in range(3):
        held = await running(process, "bill", hooked=True)
        await move(process, complete(held, "1"))
    ours = await ended(process)
    assert [hook.instance_id for hook in await due(process, "order", limit=1)] == [ours]
    assert len(await due(process, "bill", "mail")) == 3


async def test_no_more_than_asked_for(process: Process) -> None:
    for _ in range(3):
        await ended(process)
    assert [len(await due(process, limit=2)) for _ in range(3)] == [2, 1, 0]


async def test_each_end_of_one_instance_has_its_own(process: Process) -> None:
    placed = await enqueue(process, hooked=True)
    await cancel(process, placed.instance.id)
    await requeue(process, placed.instance.id)
    [held] = await claim(process)
    await move(process, complete(held, "1"))
    assert {hook.status for hook in await due(process)} == {Status.CANCELLED, Status.COMPLETED}


async def test_an_instance_is_kept_until_its_hook_has_run(
    process: Process, clock: FakeClock
) -> None:
    instance_id = await ended(process)
    await clock.advance(100)
    assert (await process.store.write(Prune(age=SECOND, limit=9))).instances == 0
    [hook] = await due(process)
    await process.store.write(FinishHook(hook=hook))
    assert (await process.store.write(Prune(age=SECOND, limit=9))).instances == 1
    assert await process.store.instances.get(instance_id) is None


async def test_who_lost_one_never_finishes_the_next(process: Process, clock: FakeClock) -> None:
    await ended(process)
    [lost] = await due(process)
    await clock.advance(31)
    [again] = await due(process)
    await process.store.write(FinishHook(hook=again))
    await ended(process)
    [following] = await due(process)
    await process.store.write(FinishHook(hook=lost))
    assert await process.rows("SELECT id FROM hooks") == [(following.id,)]
