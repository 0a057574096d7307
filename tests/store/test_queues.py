from datetime import timedelta

from service.domain.clock import SECOND
from service.domain.instance import OnConflict
from service.domain.queue import QueuePolicy, QueueView, Rate
from service.domain.transitions import complete
from service.store.queues import DeclareQueues, Pause
from tests.clock import FakeClock
from tests.services import Process
from tests.store.making import asked, claim, enqueue, later, move, running


async def view(process: Process, name: str = "orders") -> QueueView:
    return next(each for each in await process.store.queues.list([name]) if each.name == name)


async def test_a_queue_that_nobody_used_is_empty(process: Process) -> None:
    assert await process.store.queues.list([]) == []
    assert await view(process) == QueueView(
        name="orders",
        pending=0,
        running=0,
        waiting=0,
        oldest_wait_seconds=None,
        concurrency=None,
        rate=None,
        tokens_left=None,
        paused=False,
    )


async def test_every_queue_is_listed_by_name(process: Process) -> None:
    await enqueue(process, queue="in use")
    await process.store.write(DeclareQueues(policies=[QueuePolicy("declared")]))
    await process.store.write(Pause(name="paused", paused=True, request=asked()))
    await running(process, queue="busy")
    names = [each.name for each in await process.store.queues.list(["known", "busy"])]
    assert names == ["busy", "declared", "in use", "known", "paused"]


async def test_depths_are_counted_by_where_instances_stand(
    process: Process, clock: FakeClock
) -> None:
    for _ in range(3):
        await running(process)
    held = await running(process)
    await move(process, later(held, 60 * SECOND))
    done = await running(process)
    await move(process, complete(done, "1"))
    await running(process, singleton_key="k")
    await enqueue(process, singleton_key="k", on_conflict=OnConflict.REPLACE)
    await enqueue(process)
    await clock.advance(5)
    await enqueue(process)
    found = await view(process)
    assert (found.pending, found.running, found.waiting) == (4, 4, 0)
    assert found.oldest_wait_seconds == 5


async def test_what_is_not_due_does_not_wait_yet(process: Process, clock: FakeClock) -> None:
    held = await running(process)
    await move(process, later(held, 60 * SECOND))
    await clock.advance(30)
    found = await view(process)
    assert (found.pending, found.oldest_wait_seconds) == (1, None)


async def test_a_clock_set_back_makes_no_wait_below_zero(
    process: Process, clock: FakeClock
) -> None:
    await enqueue(process)
    clock.set_wall(-60)
    assert (await view(process)).oldest_wait_seconds == 0


async def test_tokens_come_back_as_time_goes(process: Process, clock: FakeClock) -> None:
    rate = Rate(2, per=timedelta(seconds=10))
    await process.store.write(DeclareQueues(policies=[QueuePolicy("orders", 5, rate)]))
    found = await view(process)
    assert (found.concurrency, found.rate, found.tokens_left) == (5, rate, 2)
    for _ in range(3):
        await enqueue(process)
    assert len(await claim(process, 9)) == 2
    assert (await view(process)).tokens_left == 0
    await clock.advance(5)
    assert (await view(process)).tokens_left == 1


async def test_declaring_anew_changes_the_rules_and_not_the_pause(process: Process) -> None:
    await process.store.write(DeclareQueues(policies=[QueuePolicy("orders", 5)]))
    await process.store.write(Pause(name="orders", paused=True, request=asked()))
    rate = Rate(7, per=timedelta(seconds=1), burst=9)
    await process.store.write(DeclareQueues(policies=[QueuePolicy("orders", None, rate)]))
    found = await view(process)
    assert (found.concurrency, found.rate, found.paused) == (None, rate, True)


async def test_pausing_tells_nothing_and_keeps_the_rules(process: Process) -> None:
    await process.store.write(DeclareQueues(policies=[QueuePolicy("orders", 5)]))
    await process.store.write(Pause(name="orders", paused=True, request=asked()))
    await process.store.write(Pause(name="orders", paused=False, request=asked()))
    found = await view(process)
    assert (found.concurrency, found.paused) == (5, False)
    assert process.fed == []
