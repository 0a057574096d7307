import asyncio
from dataclasses import replace

import pytest

from service.domain.errors import InvalidState, NotFound
from service.domain.events import EventType
from service.domain.instance import Claimed
from service.domain.transitions import abort, complete, fail
from service.store.upkeep import Reclaim
from tests.clock import NOON, FakeClock
from tests.services import Process
from tests.store.making import (
    cancel,
    claim,
    enqueue,
    facts,
    failure,
    later,
    move,
    requeue,
    running,
    status,
)


async def at_its_second_action(process: Process) -> Claimed:
    held = await running(process)
    await move(process, later(held, 0))
    [held] = await claim(process)
    return held


async def test_it_starts_again_from_the_last_checkpoint(process: Process, clock: FakeClock) -> None:
    held = await at_its_second_action(process)
    await move(process, fail(held, failure(held)))
    await clock.advance(60)
    await requeue(process, held.id)
    found = await process.store.instances.get(held.id)
    assert found is not None
    assert (found.status, found.attempts, found.finished_at) == ("PENDING", 0, None)
    assert (found.run_after, found.created_at) == (clock.now(), NOON)
    event = process.fed[-1]
    assert (event.type, event.status, event.action, event.attempt) == (
        EventType.REQUEUED,
        "PENDING",
        "ship",
        1,
    )
    [again] = await claim(process)
    assert (again.action, again.params, again.state) == ("ship", '"Rome"', '{"paid":true}')
    assert (again.fence, again.visit, again.max_attempts) == (3, 2, 5)


async def test_counts_and_the_cancel_request_begin_anew(process: Process) -> None:
    held = await running(process)
    await cancel(process, held.id)
    await move(process, abort(replace(held, attempts=2, losses=2)))
    assert await facts(process, held.id, "attempts", "losses", "cancel_requested") == (2, 2, 1)
    await requeue(process, held.id)
    assert await facts(process, held.id, "attempts", "losses", "cancel_requested") == (0, 0, 0)
    [again] = await claim(process)
    assert not again.cancel_requested
    await move(process, complete(again, "1"))
    assert await status(process, held.id) == "COMPLETED"


async def test_what_was_given_up_can_be_put_back(process: Process, clock: FakeClock) -> None:
    held = await running(process, max_lost=0)
    await clock.advance(31)
    await process.store.write(Reclaim(limit=1))
    assert await status(process, held.id) == "FAILED"
    await requeue(process, held.id)
    assert [each.id for each in await claim(process)] == [held.id]


async def test_its_failures_are_kept(process: Process) -> None:
    held = await running(process)
    await move(process, fail(held, failure(held)))
    await requeue(process, held.id)
    [held] = await claim(process)
    await move(process, fail(held, failure(held)))
    kept = await process.store.instances.failures(held.id, -1, 9)
    assert [(each.fence, each.attempt) for each in kept] == [(1, 1), (2, 1)]


@pytest.mark.parametrize("standing", ["PENDING", "RUNNING", "COMPLETED"])
async def test_only_a_bad_end_is_put_back(process: Process, standing: str) -> None:
    instance_id = (await enqueue(process)).instance.id
    for held in [] if standing == "PENDING" else await claim(process):
        if standing == "COMPLETED":
            await move(process, complete(held, "1"))
    before = await process.rows("SELECT * FROM instances")
    with pytest.raises(InvalidState, match=standing):
        await requeue(process, instance_id)
    assert await process.rows("SELECT * FROM instances") == before
    assert EventType.REQUEUED not in process.told()


async def test_what_is_not_there_is_said_not_to_be(process: Process) -> None:
    with pytest.raises(NotFound, match="'nobody'"):
        await requeue(process, "nobody")


async def test_two_at_once_put_it_back_once(process: Process, other: Process) -> None:
    placed = await enqueue(process)
    await cancel(process, placed.instance.id)
    answers = await asyncio.gather(
        *(requeue(each, placed.instance.id) for each in [process, other] * 5),
        return_exceptions=True,
    )
    assert [type(each) for each in answers].count(InvalidState) == 9
    assert (process.told() + other.told()).count(EventType.REQUEUED) == 1


async def test_a_worker_from_before_the_end_writes_nothing(process: Process) -> None:
    held = await running(process)
    await move(process, fail(held, failure(held)))
    await requeue(process, held.id)
    [again] = await claim(process)
    await move(process, complete(held, '"late"'))
    assert await status(process, again.id) == "RUNNING"
