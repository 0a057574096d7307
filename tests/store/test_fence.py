"""A worker whose lease was lost can write nothing."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from service.domain.clock import SECOND
from service.domain.events import EventType
from service.domain.instance import Claimed
from service.domain.transitions import Progression, Transition, complete, release
from service.store.moves import LOST
from service.store.upkeep import Reclaim, renew
from tests.clock import FakeClock
from tests.services import Process
from tests.store.making import (
    LEASE,
    cancel,
    claim,
    every_move,
    facts,
    later,
    move,
    onward,
    running,
)

MOVES = ["checkpoint", "hand over", "complete", "retry", "fail", "abort", "release"]


async def taken_over(process: Process, clock: FakeClock) -> tuple[Claimed, Claimed]:
    """Return what a late worker believes to hold, and what its successor holds."""
    late = await running(process)
    await clock.advance(31)
    await process.store.write(Reclaim(limit=1))
    [held] = await claim(process, worker="w2")
    assert held.id == late.id
    return late, held


async def renewed(process: Process, *held: Claimed) -> list[bool | None]:
    pairs = [(each.id, each.fence) for each in held]
    return await process.database.transaction(lambda tx: renew(tx, pairs, LEASE))


@pytest.mark.parametrize("name", MOVES)
@pytest.mark.parametrize("asked_to_cancel", [False, True])
async def test_a_late_worker_writes_nothing(
    process: Process, clock: FakeClock, name: str, asked_to_cancel: bool
) -> None:
    late, held = await taken_over(process, clock)
    if asked_to_cancel:
        await cancel(process, held.id)
    before = await process.rows("SELECT * FROM instances")
    told = len(process.fed)
    assert await move(process, every_move(late)[name]) is LOST
    assert await process.rows("SELECT * FROM instances") == before
    assert await process.rows("SELECT * FROM failures") == []
    assert len(process.fed) == told


@pytest.mark.parametrize("name", MOVES)
async def test_a_worker_writes_nothing_from_an_earlier_visit(process: Process, name: str) -> None:
    held = await running(process)
    await move(process, onward(held))
    await move(process, onward(replace(held, visit=2), "pack"))
    before = await process.rows("SELECT * FROM instances")
    answer = await move(process, every_move(held)[name])
    assert answer is LOST
    assert await process.rows("SELECT * FROM instances") == before


async def test_the_holder_writes_though_a_late_worker_tried(
    process: Process, clock: FakeClock
) -> None:
    late, held = await taken_over(process, clock)
    await move(process, complete(late, '"late"'))
    assert isinstance(await move(process, complete(held, '"right"')), Transition)
    assert await facts(process, held.id, "status", "output") == ("COMPLETED", '"right"')
    assert process.told().count(EventType.COMPLETED) == 1


async def test_a_heartbeat_renews_only_what_is_still_held(
    process: Process, clock: FakeClock
) -> None:
    late, held = await taken_over(process, clock)
    await clock.advance(10)
    assert await renewed(process, late, held) == [None, False]
    assert await facts(process, held.id, "lease_until") == (clock.now() + LEASE,)
    await cancel(process, held.id)
    assert await renewed(process, late, held) == [None, True]
    await move(process, complete(held, "1"))
    assert await renewed(process, held) == [None]


async def test_a_renewed_lease_is_not_taken(process: Process, clock: FakeClock) -> None:
    held = await running(process)
    for _ in range(5):
        await clock.advance(29)
        assert await process.store.write(Reclaim(limit=1)) == []
        assert await renewed(process, held) == [False]
    await clock.advance(29.9)
    assert await process.store.write(Reclaim(limit=1)) == []
    await clock.advance(0.1)
    assert await process.store.write(Reclaim(limit=1)) == [held.id]


@pytest.mark.parametrize("again", [onward, lambda held: later(held, SECOND)])
async def test_a_repeated_move_gives_the_first_answer_and_changes_nothing(
    process: Process, again: Callable[[Claimed], Progression]
) -> None:
    held = await running(process)
    await move(process, again(held))
    before = await process.rows("SELECT * FROM instances")
    repeated = again(held)
    assert await move(process, repeated) is repeated
    assert await process.rows("SELECT * FROM instances") == before
    assert process.told(held.id).count(EventType.CHECKPOINT) == 1


async def test_a_repeated_move_after_a_loss_is_no_claim(process: Process, clock: FakeClock) -> None:
    held = await running(process)
    await move(process, onward(held))
    await clock.advance(31)
    await process.store.write(Reclaim(limit=1))
    assert await move(process, onward(held)) is LOST
    await claim(process, worker="w2")
    assert await move(process, onward(held)) is LOST


async def test_a_repeated_end_changes_nothing(process: Process) -> None:
    held = await running(process)
    await move(process, complete(held, "1"))
    before = await process.rows("SELECT * FROM instances")
    assert await move(process, complete(held, "1")) is LOST
    assert await process.rows("SELECT * FROM instances") == before
    assert len(process.fed) == 3


async def test_each_claim_is_another_fence(process: Process) -> None:
    held = await running(process)
    for fence in (2, 3, 4):
        await move(process, release(held))
        [held] = await claim(process)
        assert held.fence == fence
