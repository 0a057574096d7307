import asyncio

import pytest

from service.domain.clock import SECOND
from service.domain.cursor import LogCursor
from service.domain.instance import Claimed
from service.domain.transitions import complete, fail, retry
from service.store.enqueue import Enqueue
from service.store.retention import Prune, Pruned
from tests.clock import FakeClock
from tests.services import Process
from tests.store.making import (
    asked,
    cancel,
    claim,
    enqueue,
    every_move,
    failure,
    launch,
    move,
    requeue,
    running,
)

AGE = 10 * SECOND


async def prune(process: Process, limit: int = 100) -> Pruned:
    return await process.store.write(Prune(age=AGE, limit=limit))


async def ids(process: Process) -> set[str]:
    return {row[0] for row in await process.rows("SELECT id FROM instances")}


async def end(process: Process, how: str = "complete") -> Claimed:
    held = await running(process)
    if how == "abort":
        await cancel(process, held.id)
    await move(process, every_move(held)[how])
    return held


@pytest.mark.parametrize("how", ["complete", "fail", "abort"])
async def test_what_ended_long_enough_ago_goes(
    process: Process, clock: FakeClock, how: str
) -> None:
    held = await end(process, how)
    await clock.advance(10)
    assert (await prune(process)).instances == 0
    await clock.advance(0.000001)
    assert (await prune(process)).instances == 1
    assert await process.store.instances.get(held.id) is None
    assert await process.rows("SELECT * FROM failures") == []


async def test_its_age_is_counted_from_its_end(process: Process, clock: FakeClock) -> None:
    held = await running(process)
    await clock.advance(100)
    await move(process, complete(held, "1"))
    await clock.advance(9)
    assert (await prune(process)).instances == 0


@pytest.mark.parametrize("name", ["checkpoint", "hand over", "retry", "release", None])
async def test_what_has_not_ended_stays_however_old(
    process: Process, clock: FakeClock, name: str | None
) -> None:
    held = await running(process)
    if name is not None:
        await move(process, every_move(held)[name])
    waiting = await enqueue(process)
    await clock.advance(10_000_000)
    await prune(process)
    assert await ids(process) == {held.id, waiting.instance.id}


async def test_what_was_put_back_stays(process: Process, clock: FakeClock) -> None:
    held = await end(process, "fail")
    await clock.advance(100)
    await requeue(process, held.id)
    assert (await prune(process)).instances == 0


async def test_it_goes_in_small_batches_the_oldest_first(
    process: Process, clock: FakeClock
) -> None:
    ended: list[str] = []
    for _ in range(5):
        ended.append((await end(process)).id)
        await clock.advance(1)
    await clock.advance(100)
    await enqueue(process)
    got: list[int] = []
    while (pruned := await prune(process, limit=2)).total:
        assert max(pruned.instances, pruned.events, pruned.requests) <= 2
        got.append(pruned.instances)
        assert set(ended[sum(got) :]) <= await ids(process)
    assert got[:3] == [2, 2, 1]
    assert len(await ids(process)) == 1


async def test_the_log_goes_from_its_old_end_and_its_last_event_stays(
    process: Process, clock: FakeClock
) -> None:
    for _ in range(3):
        await enqueue(process)
        await clock.advance(6)
    assert (await prune(process)).events == 2
    assert await process.rows("SELECT position FROM events") == [(3,)]
    await clock.advance(1_000)
    assert (await prune(process)).events == 0
    head = await process.store.events.head()
    assert head == LogCursor(3, process.fed[-1].mark)
    assert await process.store.events.resolve(head) == 3
    assert await process.store.events.oldest() == 2


async def test_the_log_goes_on_at_the_next_position(process: Process, clock: FakeClock) -> None:
    for _ in range(3):
        await enqueue(process)
    await clock.advance(100)
    await prune(process)
    await enqueue(process)
    assert process.fed[-1].position == 4


async def test_a_long_lived_instance_loses_its_old_events_and_nothing_else(
    process: Process, clock: FakeClock
) -> None:
    held = await running(process)
    before = await process.rows("SELECT * FROM instances")
    await clock.advance(100)
    await enqueue(process)
    await prune(process)
    assert list(await process.store.events.of_instance(held.id, 0, 9)) == []
    assert await process.rows("SELECT * FROM instances WHERE id = ?", held.id) == before
    await move(process, complete(held, "1"))
    assert len(await process.store.events.of_instance(held.id, 0, 9)) == 1


async def test_after_the_clock_was_set_back_the_log_still_goes_from_its_old_end(
    process: Process, clock: FakeClock
) -> None:
    await enqueue(process)
    clock.set_wall(-3_600)
    for _ in range(3):
        await enqueue(process)
    await clock.advance(11)
    await enqueue(process)
    await prune(process)
    positions = [row[0] for row in await process.rows("SELECT position FROM events")]
    assert positions == list(range(positions[0], 6))
    assert await process.store.events.oldest() == positions[0] - 1


async def test_identities_of_mutations_go_too(process: Process, clock: FakeClock) -> None:
    async def repeat() -> bool:
        [placed] = await process.store.write(Enqueue(launches=[launch()], request=asked("r")))
        return placed.instance.created_at != clock.now()

    await repeat()
    await clock.advance(10)
    await prune(process)
    assert await repeat()
    await clock.advance(1)
    assert (await prune(process)).requests == 1
    assert not await repeat()


async def test_an_instance_that_was_pruned_leaves_no_orphan(
    process: Process, clock: FakeClock
) -> None:
    for _ in range(10):
        held = await running(process)
        await move(process, retry(held, failure(held), 0))
        [held] = await claim(process)
        await move(process, fail(held, failure(held)))
    await clock.advance(100)
    while (await prune(process, limit=3)).total:
        pass
    for table in ("instances", "failures", "hooks"):
        assert await process.rows(f"SELECT * FROM {table}") == [], table  # noqa: S608


async def test_two_processes_may_prune_at_once_while_others_write(
    process: Process, other: Process, clock: FakeClock
) -> None:
    for _ in range(10):
        await end(process)
    await clock.advance(100)

    async def sweep(each: Process) -> int:
        total = 0
        while (pruned := await prune(each, limit=2)).total:
            total += pruned.instances
        return total

    swept = asyncio.gather(sweep(process), sweep(other))
    await asyncio.gather(*(enqueue(each) for each in [process, other] * 10))
    assert sum(await swept) == 10
    assert len(await ids(process)) == 20


async def test_an_empty_database_has_nothing_to_prune(process: Process) -> None:
    assert await prune(process) == Pruned(0, 0, 0)
