"""Caps and rates, over several processes and restarts, and however the clock is set."""

import asyncio
import random
from datetime import timedelta

import pytest

from service.domain.clock import SECOND
from service.domain.queue import QueuePolicy, Rate
from service.domain.rate import interval
from service.domain.transitions import abort, complete, fail, reclaim, release, retry
from service.store.queues import DeclareQueues, Pause
from service.store.upkeep import Reclaim
from tests.clock import FakeClock
from tests.services import Place, Process
from tests.store.making import (
    asked,
    cancel,
    claim,
    claims,
    enqueue,
    failure,
    later,
    move,
    onward,
    running,
)

TEN_A_MINUTE = Rate(10, per=timedelta(minutes=1))
ONE_IN_TWO = Rate(1, per=timedelta(seconds=2))


async def declare(process: Process, **given: object) -> None:
    policy = QueuePolicy("orders", **given)  # type: ignore[arg-type]
    await process.store.write(DeclareQueues(policies=[policy]))


async def backlog(process: Process, count: int) -> None:
    await asyncio.gather(*(enqueue(process) for _ in range(count)))


async def test_no_more_run_than_the_cap(process: Process) -> None:
    await declare(process, concurrency=3)
    await backlog(process, 10)
    first = await claims(process, 10)
    assert len(first.claimed) == 3
    assert first.held_back == {"orders"}
    second = await claims(process, 10)
    assert (list(second.claimed), second.held_back) == ([], {"orders"})
    await move(process, complete(first.claimed[0], "1"))
    assert len(await claim(process, 10)) == 1


LEAVE = {
    "complete": lambda held: complete(held, "1"),
    "fail": lambda held: fail(held, failure(held)),
    "retry": lambda held: retry(held, failure(held), SECOND),
    "release": release,
    "hand over": lambda held: later(held, SECOND),
}


@pytest.mark.parametrize("name", LEAVE)
async def test_whatever_leaves_gives_its_place_back(process: Process, name: str) -> None:
    await declare(process, concurrency=1)
    held = await running(process)
    await backlog(process, 2)
    assert await claim(process, 5) == []
    await move(process, LEAVE[name](held))
    assert len(await claim(process, 5)) == 1
    assert await claim(process, 5) == []


async def test_what_only_goes_on_keeps_its_place(process: Process) -> None:
    await declare(process, concurrency=1)
    held = await running(process)
    await backlog(process, 1)
    await move(process, onward(held))
    await cancel(process, held.id)
    assert await claim(process, 5) == []
    await move(process, abort(held))
    assert await claim(process, 5) == []  # its visit has moved on, so it still runs


async def test_a_lost_worker_gives_its_place_back_when_its_lease_ends(
    process: Process, clock: FakeClock
) -> None:
    await declare(process, concurrency=1)
    held = await running(process)
    await clock.advance(31)
    assert await claim(process, 5) == []
    assert await process.store.write(Reclaim(limit=5)) == [held.id]
    assert reclaim(held).losses == 1
    assert [each.id for each in await claim(process, 5)] == [held.id]


async def test_the_cap_holds_over_processes_and_restarts(place: Place) -> None:
    async with place.process() as one, place.process() as two:
        await declare(one, concurrency=2)
        await backlog(one, 20)
        got = await asyncio.gather(*(claim(each, 5) for each in [one, two] * 5))
        assert sum(map(len, got)) == 2
    async with place.process() as three:
        assert await claim(three, 5) == []


async def test_the_cap_counts_every_workflow_of_the_queue(process: Process) -> None:
    await declare(process, concurrency=3)
    for name in ("order", "bill", "mail") * 2:
        await enqueue(process, name)
    assert len(await claim(process, 10)) == 3


async def test_a_raised_cap_holds_from_then_on(process: Process) -> None:
    await declare(process, concurrency=1)
    await backlog(process, 5)
    assert len(await claim(process, 10)) == 1
    await declare(process, concurrency=3)
    assert len(await claim(process, 10)) == 2
    await declare(process, concurrency=1)
    assert await claim(process, 10) == []


async def test_a_burst_and_then_one_by_one(process: Process, clock: FakeClock) -> None:
    await declare(process, rate=TEN_A_MINUTE)
    await backlog(process, 30)
    found = await claims(process, 100)
    assert len(found.claimed) == 10
    assert found.next_token_at is not None
    none = await claims(process, 100)
    assert (list(none.claimed), none.next_token_at) == ([], clock.now() + interval(TEN_A_MINUTE))
    await clock.advance(5.9)
    assert await claim(process, 100) == []
    await clock.advance(0.1)
    assert len(await claim(process, 100)) == 1
    await clock.advance(600)
    assert len(await claim(process, 100)) == 10


async def test_every_claim_counts_also_of_what_was_claimed_before(
    process: Process, clock: FakeClock
) -> None:
    await declare(process, rate=ONE_IN_TWO)
    held = await running(process)
    for _ in range(3):
        await move(process, release(held))
        assert await claim(process) == []
        await clock.advance(2)
        [held] = await claim(process)
    assert held.fence == 4


async def test_each_queue_spends_its_own_tokens(process: Process) -> None:
    policies = [
        QueuePolicy(name, rate=Rate(burst, per=timedelta(hours=1)))
        for name, burst in (("a", 2), ("b", 5), ("c", 3))
    ]
    await process.store.write(DeclareQueues(policies=policies))
    for queue in "abc":
        for _ in range(9):
            await enqueue(process, queue=queue)
    got: list[str] = []
    while found := await claim(process, 4):
        got.extend(held.queue for held in found)
    assert {queue: got.count(queue) for queue in "abc"} == {"a": 2, "b": 5, "c": 3}


async def test_a_pause_costs_no_token(process: Process, clock: FakeClock) -> None:
    await declare(process, rate=ONE_IN_TWO)
    await backlog(process, 3)
    await process.store.write(Pause(name="orders", paused=True, request=asked()))
    assert await claim(process, 5) == []
    await process.store.write(Pause(name="orders", paused=False, request=asked()))
    assert len(await claim(process, 5)) == 1


async def test_spent_tokens_stay_spent_over_restarts_and_new_declarations(place: Place) -> None:
    async with place.process() as one:
        await declare(one, rate=TEN_A_MINUTE)
        await backlog(one, 30)
        assert len(await claim(one, 7)) == 7
    async with place.process() as two:
        await declare(two, rate=TEN_A_MINUTE)
        assert len(await claim(two, 100)) == 3


@pytest.mark.parametrize("seed", range(3))
async def test_no_window_ever_sees_more_than_burst_and_rate(
    place: Place, clock: FakeClock, seed: int
) -> None:
    chance = random.Random(seed)
    rate = Rate(4, per=timedelta(seconds=10), burst=3)
    starts: list[int] = []
    async with place.process() as one, place.process() as two:
        await declare(one, rate=rate)
        await backlog(one, 120)
        for _ in range(40):
            got = await asyncio.gather(*(claim(each, chance.randint(1, 4)) for each in (one, two)))
            starts.extend([clock.now()] * sum(map(len, got)))
            await clock.advance(chance.choice([0, 0.3, 1, 2.5, 2.6, 8]))
    assert len(starts) > 30
    for first, begin in enumerate(starts):
        for last, end in enumerate(starts[first:], first):
            allowed = rate.burst + (end - begin) // interval(rate)
            assert last - first + 1 <= allowed


async def test_a_clock_set_back_neither_grants_tokens_nor_starves_the_queue(
    process: Process, clock: FakeClock
) -> None:
    await declare(process, rate=TEN_A_MINUTE)
    await backlog(process, 40)
    assert len(await claim(process, 100)) == 10
    clock.set_wall(-3_600)
    none = await claims(process, 100)
    assert list(none.claimed) == []
    assert none.next_token_at == clock.now() + interval(TEN_A_MINUTE)
    got = 0
    for _ in range(10):
        await clock.advance(6)
        got += len(await claim(process, 100))
    assert got == 10


async def test_a_clock_set_back_while_nothing_is_ready_is_made_good_later(
    process: Process, clock: FakeClock
) -> None:
    await declare(process, rate=ONE_IN_TWO)
    await running(process)
    clock.set_wall(-86_400)
    await backlog(process, 5)
    assert await claim(process, 5) == []
    await clock.advance(2)
    assert len(await claim(process, 5)) == 1


async def test_cap_and_rate_hold_together(process: Process, clock: FakeClock) -> None:
    await declare(process, concurrency=2, rate=TEN_A_MINUTE)
    await backlog(process, 20)
    held = await claim(process, 100)
    assert len(held) == 2
    for _ in range(4):
        for each in held:
            await move(process, complete(each, "1"))
        held = await claim(process, 100)
        assert len(held) == 2
    for each in held:
        await move(process, complete(each, "1"))
    assert await claim(process, 100) == []
