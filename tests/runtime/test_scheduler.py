"""What wakes the scheduler, and what it does then; the clock stands still unless it is moved."""

from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise

import pytest

from service.domain.clock import SECOND
from service.domain.events import TERMINAL, EventType
from service.domain.instance import OnConflict, Status
from service.domain.queue import Rate
from service.store.queues import DeclareQueues
from tests.clock import FakeClock
from tests.runtime.driving import Driven, at_work, enqueue, find
from tests.runtime.timed import Noted
from tests.services import Place, Process, until

Drive = Callable[..., Driven]


@pytest.fixture
def noted(process: Process) -> Noted:
    return Noted(process)


async def declare(process: Process, name: str, **given: object) -> None:
    policy = process.registry.queue(name, **given)  # type: ignore[arg-type]
    await process.store.write(DeclareQueues(policies=[policy]))


async def ends(process: Process, *ids: str) -> None:
    """Wait until all of them have ended."""
    await until(
        lambda: {event.instance_id for event in process.fed if event.type in TERMINAL} >= set(ids)
    )


async def test_an_enqueue_wakes_it(process: Process, noted: Noted) -> None:
    async with at_work(process):
        await process.calm()
        instance_id = await enqueue(process, "job")
        await ends(process, instance_id)
    assert noted.times == [0]


async def test_a_place_that_became_free_is_filled_at_once(process: Process, noted: Noted) -> None:
    async with at_work(process, slots=2):
        ids = [await enqueue(process, "job") for _ in range(20)]
        await ends(process, *ids)
    assert set(noted.times) == {0}


async def test_the_end_of_one_makes_room_under_the_cap_at_once(
    process: Process, noted: Noted
) -> None:
    await declare(process, "job", concurrency=1)
    async with at_work(process):
        ids = [await enqueue(process, "job") for _ in range(10)]
        await ends(process, *ids)
    assert set(noted.times) == {0}


async def test_the_end_of_a_holder_lets_the_blocked_one_go_at_once(
    process: Process, noted: Noted
) -> None:
    async with at_work(process):
        first = await enqueue(process, "job", 3_600.0, singleton_key="k")
        await until(lambda: noted.ran)
        second = await enqueue(process, "job", singleton_key="k", on_conflict=OnConflict.REPLACE)
        await ends(process, first, second)
    assert (await find(process, first)).status is Status.CANCELLED
    assert (await find(process, second)).status is Status.COMPLETED


async def test_a_requeue_and_a_resumed_queue_wake_it(process: Process, noted: Noted) -> None:
    async with at_work(process):
        await process.queues.pause("job")
        instance_id = await enqueue(process, "job")
        await process.workflows.cancel(instance_id)
        await process.workflows.retry(instance_id)
        await process.calm()
        assert noted.ran == []
        await process.queues.resume("job")
        process.emitter.feed([])
        await until(lambda: noted.ran)
    assert noted.times == [0]


async def test_what_is_due_later_is_promoted_at_its_time(process: Process, noted: Noted) -> None:
    async with at_work(process):
        instance_id = await enqueue(process, "later")
        await until(lambda: process.told(instance_id)[-1:] == ["CHECKPOINT"])
        await process.pass_until(lambda: noted.ran)
        await ends(process, instance_id)
    [time] = noted.times
    assert 20.4 <= time <= 20.6  # between two ticks


async def test_a_backoff_is_waited_out_to_the_end_and_not_longer(
    process: Process, noted: Noted
) -> None:
    async with at_work(process):
        await enqueue(process, "flaky")
        await until(lambda: noted.ran)
        await process.pass_until(lambda: len(noted.ran) == 3)
    assert noted.times[0] == 0
    assert 5.4 <= noted.times[1] <= 5.6
    assert 10.79 <= noted.times[2] - noted.times[1] <= 11.0


async def test_the_next_token_wakes_it(process: Process, noted: Noted) -> None:
    await declare(process, "job", rate=Rate(1, per=timedelta(seconds=2.4)))
    async with at_work(process):
        for _ in range(4):
            await enqueue(process, "job")
        await process.pass_until(lambda: len(noted.ran) == 4)
    gaps = [after - before for before, after in pairwise(noted.times)]
    assert all(2.39 <= gap <= 2.61 for gap in gaps), gaps


async def test_what_another_process_enqueued_is_found_at_the_next_tick(
    process: Process, noted: Noted, clock: FakeClock, place: Place
) -> None:
    async with at_work(process), place.process(process.registry) as other:
        await enqueue(other, "job")
        await process.calm()
        assert noted.ran == []
        await process.pass_until(lambda: bool(noted.ran), step=0.1, limit=2)


async def test_what_a_lost_worker_left_is_taken_at_the_tick(
    process: Process, noted: Noted, drive: Drive, clock: FakeClock
) -> None:
    driven = drive(process, lease=30 * SECOND)
    instance_id = await enqueue(process, "job", 3_600.0)
    await driven.tick()
    await until(lambda: noted.ran)
    await driven.close()
    async with at_work(process, lease=30 * SECOND):
        await process.pass_until(lambda: len(noted.ran) == 2, step=0.5, limit=40)
    assert process.told(instance_id).count(EventType.RECLAIMED) == 1
    assert 30 <= noted.times[1] <= 33
