import asyncio

import pytest

from service.domain.clock import SECOND
from service.domain.events import EventType
from service.domain.instance import OnConflict
from service.domain.transitions import complete
from service.store.upkeep import Agenda, CutLeases, Promote, Reclaim
from tests.clock import FakeClock
from tests.services import Place, Process
from tests.store.making import (
    LEASE,
    claim,
    enqueue,
    facts,
    later,
    move,
    onward,
    running,
    status,
)


async def test_another_process_takes_what_a_lost_worker_left(
    process: Process, other: Process, clock: FakeClock
) -> None:
    held = await running(process)
    await move(process, onward(held))
    await clock.advance(30)
    assert await other.store.write(Reclaim(limit=5)) == [held.id]
    assert await facts(
        process, held.id, "status", "losses", "attempts", "ready", "worker", "lease_until"
    ) == ("PENDING", 1, 0, 1, None, None)
    event = other.fed[-1]
    assert (event.type, event.status, event.action) == (EventType.RECLAIMED, "PENDING", "ship")
    [again] = await claim(other, worker="w2")
    assert (again.action, again.params, again.state) == ("ship", '"Rome"', '{"paid":true}')
    assert (again.visit, again.fence, again.losses) == (2, 2, 1)


async def test_a_lease_is_kept_to_its_last_instant(process: Process, clock: FakeClock) -> None:
    held = await running(process)
    await clock.advance(29.999999)
    assert await process.store.write(Reclaim(limit=5)) == []
    await clock.advance(0.000001)
    assert await process.store.write(Reclaim(limit=5)) == [held.id]


@pytest.mark.parametrize("max_lost", [0, 1, 2])
async def test_the_loss_after_max_lost_is_the_end(
    process: Process, clock: FakeClock, max_lost: int
) -> None:
    instance_id = (await enqueue(process, max_lost=max_lost)).instance.id
    for _ in range(max_lost + 1):
        assert await status(process, instance_id) == "PENDING"
        await claim(process)
        await clock.advance(31)
        await process.store.write(Reclaim(limit=5))
    found = await process.store.instances.get(instance_id)
    assert found is not None
    assert (found.status, found.attempts, found.finished_at) == ("FAILED", 0, clock.now())
    assert found.last_error is not None
    assert found.last_error.startswith("worker lost")
    assert process.fed[-1].error == found.last_error
    [kept] = await process.store.instances.failures(instance_id, -1, 9)
    assert (kept.error_type, kept.fence) == ("WorkerLost", max_lost + 1)
    assert await claim(process) == []


async def test_a_checkpoint_forgives_the_losses_before_it(
    process: Process, clock: FakeClock
) -> None:
    held = await running(process, max_lost=1)
    for _ in range(4):
        await clock.advance(31)
        await process.store.write(Reclaim(limit=5))
        [held] = await claim(process)
        assert held.losses == 1
        await move(process, onward(held))
    assert await status(process, held.id) == "RUNNING"


async def test_reclaiming_goes_in_batches(process: Process, clock: FakeClock) -> None:
    for _ in range(5):
        await enqueue(process)
    held = await claim(process, 5)
    await clock.advance(31)
    got = [await process.store.write(Reclaim(limit=2)) for _ in range(4)]
    assert [len(ids) for ids in got] == [2, 2, 1, 0]
    assert {each for ids in got for each in ids} == {each.id for each in held}


async def test_two_processes_that_reclaim_at_once_count_one_loss(
    place: Place, clock: FakeClock
) -> None:
    async with place.process() as one, place.process() as two:
        held = await running(one)
        await clock.advance(31)
        got = await asyncio.gather(*(each.store.write(Reclaim(limit=5)) for each in (one, two)))
        assert sorted(map(len, got)) == [0, 1]
        assert await facts(one, held.id, "losses") == (1,)


async def test_what_is_due_becomes_ready_in_batches_the_earliest_first(
    process: Process, clock: FakeClock
) -> None:
    ids: list[str] = []
    for delay in (30, 10, 20):
        held = await running(process)
        await move(process, later(held, delay * SECOND))
        ids.append(held.id)
    await clock.advance(25)
    assert await process.store.write(Promote(limit=1)) == 1
    assert [each.id for each in await claim(process, 5)] == [ids[1]]
    assert await process.store.write(Promote(limit=5)) == 1
    assert [each.id for each in await claim(process, 5)] == [ids[2]]
    await clock.advance(5)
    assert await process.store.write(Promote(limit=5)) == 1
    assert await process.store.write(Promote(limit=5)) == 0


async def test_promoting_tells_nothing(process: Process, clock: FakeClock) -> None:
    held = await running(process)
    await move(process, later(held, SECOND))
    told = len(process.fed)
    await clock.advance(1)
    await process.store.write(Promote(limit=5))
    assert len(process.fed) == told


async def test_after_the_clock_was_set_back_no_lease_ends_more_than_one_ahead(
    process: Process, clock: FakeClock
) -> None:
    far, near = await running(process), await running(process)
    clock.set_wall(-3_600)
    await process.alter(
        "UPDATE instances SET lease_until = ? WHERE id = ?", clock.now() + SECOND, near.id
    )
    await process.store.write(CutLeases(lease=LEASE))
    assert await facts(process, far.id, "lease_until") == (clock.now() + LEASE,)
    assert await facts(process, near.id, "lease_until") == (clock.now() + SECOND,)
    await clock.advance(30)
    assert set(await process.store.write(Reclaim(limit=5))) == {far.id, near.id}


async def test_the_agenda_of_an_empty_database_is_empty(process: Process, clock: FakeClock) -> None:
    assert await process.store.agenda() == Agenda(clock.now(), None, None, False, None)


async def test_the_agenda_says_what_is_next(process: Process, clock: FakeClock) -> None:
    first = await running(process)
    await move(process, later(first, 50 * SECOND))
    second = await running(process)
    await move(process, later(second, 40 * SECOND))
    due = clock.now() + 40 * SECOND
    assert await process.store.agenda() == Agenda(clock.now(), due, None, False, None)
    third = await running(process)
    await clock.advance(5)
    fourth = await running(process, hooked=True)
    assert await process.store.agenda() == Agenda(clock.now(), due, third.lease_until, False, None)
    await enqueue(process)
    assert (await process.store.agenda()).ready
    await move(process, complete(third, "1"))
    await move(process, complete(fourth, "1"))
    assert await process.store.agenda() == Agenda(clock.now(), due, None, True, clock.now())


async def test_what_stands_behind_a_key_is_not_due(process: Process) -> None:
    await running(process, singleton_key="k")
    await enqueue(process, singleton_key="k", on_conflict=OnConflict.REPLACE)
    agenda = await process.store.agenda()
    assert (agenda.next_due, agenda.ready) == (None, False)
