import asyncio

import pytest

from service.domain.errors import SingletonConflict
from service.domain.events import EventType
from service.domain.instance import Claimed, OnConflict
from service.domain.transitions import (
    Settlement,
    abort,
    complete,
    fail,
    release,
    retry,
)
from service.store.enqueue import Placed
from service.store.upkeep import Promote, Reclaim
from tests.clock import FakeClock
from tests.services import Place, Process
from tests.store.making import (
    LEASE,
    cancel,
    claim,
    enqueue,
    facts,
    failure,
    later,
    move,
    onward,
    requeue,
    running,
    status,
)


async def replace(process: Process, key: str = "k") -> Placed:
    return await enqueue(process, singleton_key=key, on_conflict=OnConflict.REPLACE)


async def test_a_second_one_gets_the_living_one_back(process: Process) -> None:
    first = await enqueue(process, singleton_key="k")
    again = await enqueue(process, singleton_key="k", input='{"other":1}')
    assert (again.created, again.instance.id) == (False, first.instance.id)
    assert again.cursor == again.instance.cursor
    assert process.told() == [EventType.ENQUEUED]


async def test_a_second_one_may_be_refused(process: Process) -> None:
    first = await enqueue(process, singleton_key="k")
    with pytest.raises(SingletonConflict, match=first.instance.id):
        await enqueue(process, singleton_key="k", on_conflict=OnConflict.REFUSE)
    assert process.told() == [EventType.ENQUEUED]


async def test_a_key_is_of_one_workflow_and_free_after_the_end(process: Process) -> None:
    held = await running(process, singleton_key="k")
    bill = await enqueue(process, "bill", singleton_key="k", on_conflict=OnConflict.REFUSE)
    await move(process, complete(held, "1"))
    order = await enqueue(process, singleton_key="k", on_conflict=OnConflict.REFUSE)
    assert bill.created
    assert order.created


async def test_a_waiting_one_is_replaced_at_once(process: Process) -> None:
    first = await enqueue(process, singleton_key="k")
    second = await replace(process)
    assert second.created
    assert await status(process, first.instance.id) == "CANCELLED"
    assert process.told(first.instance.id) == [EventType.ENQUEUED, EventType.CANCELLED]
    [held] = await claim(process, 5)
    assert held.id == second.instance.id


async def test_one_that_waits_for_its_retry_is_replaced_at_once(
    process: Process, clock: FakeClock
) -> None:
    first = await running(process, singleton_key="k")
    await move(process, retry(first, failure(first), LEASE))
    second = await replace(process)
    assert await status(process, first.id) == "CANCELLED"
    await clock.advance(100)
    assert await process.store.write(Promote(limit=10)) == 0
    assert [held.id for held in await claim(process, 5)] == [second.instance.id]


ENDINGS = {
    "complete": lambda held: complete(held, "1"),
    "abort": abort,
    "fail": lambda held: fail(held, failure(held)),
    "retry": lambda held: retry(held, failure(held), 0),
    "release": release,
}


@pytest.mark.parametrize("ending", ENDINGS)
async def test_behind_a_running_one_the_new_one_waits_for_its_end(
    process: Process, ending: str
) -> None:
    holder = await running(process, singleton_key="k")
    second = await replace(process)
    assert await facts(process, second.instance.id, "status", "blocked", "ready") == (
        "PENDING",
        1,
        0,
    )
    assert await facts(process, holder.id, "status", "cancel_requested") == ("RUNNING", 1)
    assert await claim(process, 5) == []
    settlement: Settlement = ENDINGS[ending](holder)
    await move(process, settlement)
    assert await status(process, holder.id) == (
        "COMPLETED" if ending == "complete" else "CANCELLED"
    )
    [held] = await claim(process, 5)
    assert held.id == second.instance.id


@pytest.mark.parametrize("going_on", [onward, lambda held: later(held, LEASE)])
async def test_a_holder_that_would_go_on_ends_and_lets_the_new_one_go(
    process: Process, going_on: object
) -> None:
    holder = await running(process, singleton_key="k")
    second = await replace(process)
    await move(process, going_on(holder))  # type: ignore[operator]
    assert await status(process, holder.id) == "CANCELLED"
    assert [held.id for held in await claim(process, 5)] == [second.instance.id]


async def test_a_lost_holder_lets_the_new_one_go_when_it_is_reclaimed(
    process: Process, clock: FakeClock
) -> None:
    holder = await running(process, singleton_key="k")
    second = await replace(process)
    await clock.advance(31)
    assert await process.store.write(Reclaim(limit=10)) == [holder.id]
    assert await status(process, holder.id) == "CANCELLED"
    assert [held.id for held in await claim(process, 5)] == [second.instance.id]


async def test_the_holders_end_tells_which_one_may_go(process: Process) -> None:
    holder = await running(process, singleton_key="k")
    second = await replace(process)
    await move(process, abort(holder))
    assert process.fed[-1].data == f'{{"unblocked":"{second.instance.id}"}}'


async def test_what_was_blocked_and_is_not_due_goes_when_it_is(
    process: Process, clock: FakeClock
) -> None:
    holder = await running(process, singleton_key="k")
    second = await replace(process)
    clock.set_wall(-60)
    await move(process, abort(holder))
    assert await claim(process, 5) == []
    await clock.advance(60)
    await process.store.write(Promote(limit=5))
    assert [held.id for held in await claim(process, 5)] == [second.instance.id]


async def test_every_living_one_is_replaced_and_the_newest_is_the_living_one(
    process: Process,
) -> None:
    holder = await running(process, singleton_key="k")
    second = await replace(process)
    third = await replace(process)
    assert await status(process, second.instance.id) == "CANCELLED"
    assert process.told(holder.id).count(EventType.CANCEL_REQUESTED) == 1
    assert await claim(process, 5) == []
    found = await enqueue(process, singleton_key="k")
    assert found.instance.id == third.instance.id
    await move(process, abort(holder))
    assert [held.id for held in await claim(process, 5)] == [third.instance.id]


async def test_a_blocked_one_can_be_cancelled(process: Process) -> None:
    holder = await running(process, singleton_key="k")
    second = await replace(process)
    await cancel(process, second.instance.id)
    await move(process, abort(holder))
    assert await claim(process, 5) == []
    assert (await enqueue(process, singleton_key="k")).created


async def test_requeueing_is_refused_while_another_lives(process: Process) -> None:
    first = await enqueue(process, singleton_key="k")
    await cancel(process, first.instance.id)
    second = await enqueue(process, singleton_key="k")
    with pytest.raises(SingletonConflict, match=second.instance.id):
        await requeue(process, first.instance.id)
    assert await status(process, first.instance.id) == "CANCELLED"
    await cancel(process, second.instance.id)
    await requeue(process, first.instance.id)
    assert [held.id for held in await claim(process, 5)] == [first.instance.id]


async def test_one_that_was_blocked_when_it_ended_can_be_requeued(process: Process) -> None:
    holder = await running(process, singleton_key="k")
    second = await replace(process)
    await cancel(process, second.instance.id)
    await move(process, abort(holder))
    await requeue(process, second.instance.id)
    assert await facts(process, second.instance.id, "ready", "blocked") == (1, 0)
    assert [held.id for held in await claim(process, 5)] == [second.instance.id]


async def test_two_requeued_at_once_do_not_both_live(process: Process) -> None:
    ids: list[str] = []
    for _ in range(2):
        placed = await enqueue(process, singleton_key="k")
        await cancel(process, placed.instance.id)
        ids.append(placed.instance.id)
    answers = await asyncio.gather(
        *(requeue(process, each) for each in ids), return_exceptions=True
    )
    assert [type(each) for each in answers].count(SingletonConflict) == 1
    assert len(await claim(process, 5)) == 1


@pytest.mark.parametrize("on_conflict", OnConflict)
async def test_never_two_that_could_run_whoever_asks(place: Place, on_conflict: OnConflict) -> None:
    async with place.process() as one, place.process() as two:
        held: Claimed | None = None
        for _ in range(4):
            await asyncio.gather(
                *(
                    enqueue(each, singleton_key="k", on_conflict=on_conflict)
                    for each in [one, two] * 5
                ),
                return_exceptions=True,
            )
            claimed = [*await claim(one, 9), *await claim(two, 9)]
            assert len(claimed) == (1 if held is None else 0)
            if held is None:
                [held] = claimed
            else:
                await move(one, complete(held, "1"))
                held = None
        living = await one.rows("SELECT count(*) FROM instances WHERE finished_at IS NULL")
        assert living[0][0] <= 2


async def test_a_holder_that_was_reclaimed_still_holds_the_key(
    process: Process, clock: FakeClock
) -> None:
    holder = await running(process, singleton_key="k")
    await clock.advance(31)
    await process.store.write(Reclaim(limit=10))
    again = await enqueue(process, singleton_key="k")
    assert again.instance.id == holder.id
