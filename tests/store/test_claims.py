from dataclasses import fields

import pytest

from service.domain.clock import SECOND
from service.domain.events import EventType
from service.domain.instance import Claimed
from service.domain.transitions import release, retry
from service.store.claims import Claim
from service.store.queues import Pause
from service.store.upkeep import Promote
from tests.clock import NOON, FakeClock
from tests.services import Place, Process
from tests.store.making import (
    LEASE,
    asked,
    cancel,
    claim,
    claims,
    enqueue,
    facts,
    failure,
    later,
    move,
    running,
)


async def test_a_claim_raises_the_fence_and_tells_that_it_started(
    process: Process, clock: FakeClock
) -> None:
    placed = await enqueue(process)
    await clock.advance(5)
    [held] = await claim(process, worker="w7")
    assert (held.fence, held.lease_until) == (1, clock.now() + LEASE)
    assert await facts(process, held.id, "status", "worker", "ready", "lease_until") == (
        "RUNNING",
        "w7",
        0,
        held.lease_until,
    )
    event = process.fed[-1]
    assert (event.type, event.status, event.action, event.attempt) == (
        EventType.STARTED,
        "RUNNING",
        "pay",
        1,
    )
    found = await process.store.instances.get(placed.instance.id)
    assert found is not None
    assert (found.created_at, found.started_at, found.updated_at) == (
        NOON,
        clock.now(),
        clock.now(),
    )


async def test_a_second_claim_raises_it_again_and_keeps_when_it_first_started(
    process: Process, clock: FakeClock
) -> None:
    held = await running(process)
    await move(process, release(held))
    await clock.advance(5)
    [again] = await claim(process)
    assert (again.id, again.fence) == (held.id, 2)
    found = await process.store.instances.get(held.id)
    assert found is not None
    assert found.started_at == NOON


async def test_it_gives_all_that_a_worker_needs(process: Process) -> None:
    held = await running(process, singleton_key="k", hooked=True, priority=3)
    assert held == Claimed(
        id=held.id,
        name="order",
        queue="orders",
        priority=3,
        action="pay",
        input='{"cents":100}',
        params='{"cents":100}',
        state=None,
        attempts=0,
        max_attempts=3,
        losses=0,
        max_lost=2,
        visit=1,
        fence=1,
        hooked=True,
        singleton_key="k",
        cancel_requested=False,
        lease_until=NOON + LEASE,
    )
    assert {type(getattr(held, each.name)) for each in fields(held)} == {
        str,
        int,
        bool,
        type(None),
    }


async def test_nothing_is_claimed_twice(place: Place) -> None:
    async with place.process() as one, place.process() as two:
        for _ in range(30):
            await enqueue(one)
        got: list[str] = []
        while found := [*await claim(one, 4), *await claim(two, 4, worker="w2")]:
            got.extend(held.id for held in found)
        assert len(got) == len(set(got)) == 30


async def test_higher_priority_then_due_earlier_then_older(
    process: Process, clock: FakeClock
) -> None:
    late = await running(process)
    await move(process, retry(late, failure(late), 30 * SECOND))
    await clock.advance(10)
    low = await enqueue(process, priority=-1)
    first, second = await enqueue(process), await enqueue(process)
    high = await enqueue(process, priority=1)
    await clock.advance(30)
    newest = await enqueue(process)
    await process.store.write(Promote(limit=10))
    got = [held.id for held in await claim(process, 10)]
    placed = [high, first, second, None, newest, low]
    assert got == [late.id if each is None else each.instance.id for each in placed]


async def test_the_order_holds_over_the_workflows_of_a_queue(process: Process) -> None:
    placed = [
        await enqueue(process, name, priority=priority)
        for name, priority in [("order", 0), ("bill", 5), ("order", 5), ("bill", 9), ("mail", 0)]
    ]
    got: list[str] = []
    while found := await claim(process, 2):
        got.extend(held.id for held in found)
    assert got == [placed[n].instance.id for n in (3, 1, 2, 0, 4)]


async def test_no_more_than_asked_for(process: Process) -> None:
    for _ in range(5):
        await enqueue(process)
    assert len(await claim(process, 3)) == 3
    assert len(await claim(process, 3)) == 2
    assert await claim(process, 3) == []


async def test_what_is_not_registered_here_is_left_alone(process: Process) -> None:
    stranger = await enqueue(process, "fax", priority=100)
    ours = await enqueue(process)
    assert [held.id for held in await claim(process, 10)] == [ours.instance.id]
    assert await claim(process, 10) == []
    assert await facts(process, stranger.instance.id, "status", "fence") == ("PENDING", 0)
    [held] = await claim(process, 10, names=frozenset({"fax"}))
    assert held.id == stranger.instance.id


async def test_a_worker_that_knows_nothing_claims_nothing(process: Process) -> None:
    await enqueue(process)
    assert await claim(process, 10, names=frozenset()) == []


async def test_what_is_not_due_is_left_alone(process: Process, clock: FakeClock) -> None:
    held = await running(process)
    await move(process, later(held, 60 * SECOND))
    assert await claim(process) == []
    await clock.advance(60)
    assert await claim(process) == []
    assert await process.store.write(Promote(limit=10)) == 1
    assert [each.id for each in await claim(process)] == [held.id]


async def test_what_was_cancelled_is_not_claimed(process: Process) -> None:
    for placed in [await enqueue(process) for _ in range(3)]:
        await cancel(process, placed.instance.id)
    assert await claim(process, 10) == []
    assert EventType.STARTED not in process.told()


async def test_queues_take_turns(process: Process) -> None:
    for queue in ("a", "b", "c"):
        for _ in range(4):
            await enqueue(process, queue=queue)
    got, after = "", ""
    while (found := await claims(process, 2, after=after)).claimed:
        assert len({held.queue for held in found.claimed}) == len(found.claimed)
        after = found.served_last
        got += "".join(held.queue for held in found.claimed)
    assert got.count("a") == got.count("b") == got.count("c") == 4
    assert {"".join(sorted(got[n : n + 3])) for n in range(0, 12, 3)} == {"abc"}


async def test_a_long_queue_does_not_hold_up_a_short_one(process: Process) -> None:
    for _ in range(50):
        await enqueue(process, queue="a", priority=9)
    await enqueue(process, queue="z")
    assert "z" in {held.queue for held in await claim(process, 2)}


async def test_one_queue_may_take_every_place_when_it_is_alone(process: Process) -> None:
    for _ in range(5):
        await enqueue(process, queue="a")
    assert len(await claim(process, 5)) == 5


@pytest.mark.parametrize("again", [False, True])
async def test_a_paused_queue_waits(process: Process, again: bool) -> None:
    await enqueue(process)
    other = await enqueue(process, queue="rush")
    for _ in range(1 + again):
        await process.store.write(Pause(name="orders", paused=True, request=asked()))
    assert [held.id for held in await claim(process, 5)] == [other.instance.id]
    await process.store.write(Pause(name="orders", paused=False, request=asked()))
    assert len(await claim(process, 5)) == 1


async def test_a_pause_holds_for_every_process_and_after_a_restart(place: Place) -> None:
    async with place.process() as one, place.process() as two:
        await enqueue(one)
        await one.store.write(Pause(name="orders", paused=True, request=asked()))
        assert await claim(two) == []
    async with place.process() as three:
        assert await claim(three) == []


async def test_what_runs_in_a_paused_queue_goes_on(process: Process) -> None:
    held = await running(process)
    await process.store.write(Pause(name="orders", paused=True, request=asked()))
    await move(process, later(held, 0))
    assert await facts(process, held.id, "status", "ready") == ("PENDING", 1)
    assert await claim(process) == []


async def test_a_claim_for_no_place_changes_nothing(process: Process) -> None:
    await enqueue(process)
    found = await process.store.write(
        Claim(worker="w", names=frozenset({"order"}), limit=0, lease=LEASE)
    )
    assert list(found.claimed) == []
    assert process.told() == [EventType.ENQUEUED]
