import asyncio
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pydantic import BaseModel

from service.client import (
    CancelOutcome,
    Client,
    Enqueue,
    EventType,
    Order,
    RequestRefused,
    Status,
    WorkflowCancelled,
    WorkflowFailed,
)
from tests.client.flows import Point
from tests.client.proxy import linked


class Pair(BaseModel):
    x: int
    y: int


def at(port: int) -> Client:
    return Client(f"http://127.0.0.1:{port}/graphql")


async def test_a_result_is_plain_json_or_what_it_is_read_into(port: int) -> None:
    async with at(port) as client:
        handle = await client.enqueue("mirror", Point(1, 2))
        assert await handle.result() == {"x": 2, "y": 1}
        assert await handle.result(Point) == Point(2, 1)
        assert await handle.result(Pair, timeout=5) == Pair(x=2, y=1)


async def test_an_instance_is_told_with_pythons_own_types(port: int) -> None:
    before = datetime.now(UTC)
    async with at(port) as client:
        handle = await client.enqueue("mirror", {"x": 1, "y": 2}, priority=3, queue="fast")
        await handle.result()
        instance = await client.get(handle.id)
    assert instance is not None
    assert (instance.status, instance.queue, instance.priority) == (Status.COMPLETED, "fast", 3)
    assert (instance.input, instance.output) == ({"x": 1, "y": 2}, {"x": 2, "y": 1})
    assert instance.started_at is not None
    assert instance.finished_at is not None
    assert before < instance.created_at <= instance.started_at <= instance.finished_at
    assert instance.ended
    assert not handle.instance.ended


async def test_a_failure_is_raised_with_its_reason(port: int, tmp_path: Path) -> None:
    async with at(port) as client:
        handle = await client.enqueue("fail", "no luck")
        with pytest.raises(WorkflowFailed, match="ValueError: no luck") as caught:
            await handle.result()
        assert caught.value.instance.status is Status.FAILED
        assert [f.message async for f in client.failures(handle.id)] == ["no luck"]
        (tmp_path / "mended").touch()
        again = await client.retry(handle.id)
        assert await again.result(timeout=5) is None


async def test_a_cancel_is_raised_to_who_waits(port: int) -> None:
    async with at(port) as client:
        handle = await client.enqueue("sleep", 60)
        waiting = asyncio.create_task(handle.result())
        cancelled = await handle.cancel()
        assert cancelled.outcome in (CancelOutcome.CANCELLED, CancelOutcome.REQUESTED)
        with pytest.raises(WorkflowCancelled, match="was cancelled"):
            await waiting
        assert (await handle.cancel()).outcome is CancelOutcome.ALREADY_ENDED


@pytest.mark.parametrize("timeout", [0.3, timedelta(seconds=0.3)])
async def test_who_waits_may_give_up_and_wait_again(port: int, timeout: float | timedelta) -> None:
    async with at(port) as client:
        handle = await client.enqueue("sleep", 0.6)
        with pytest.raises(TimeoutError, match=r"has not ended in 0\.3 s"):
            await handle.result(timeout=timeout)
        assert await handle.result(timeout=5) == "rested"


async def test_a_handle_of_what_has_ended_needs_no_event(port: int) -> None:
    async with at(port) as client:
        first = await client.enqueue("mirror", Point(1, 2), idempotency_key="one")
        await first.result()
        again = await client.enqueue("mirror", Point(1, 2), idempotency_key="one")
        assert (again.id, first.created, again.created) == (first.id, True, False)
        assert [event async for event in again.watch()] == []
        assert await again.result(timeout=5) == {"x": 2, "y": 1}
        assert await (await client.handle(first.id)).result() == {"x": 2, "y": 1}


async def test_what_is_not_there(port: int) -> None:
    async with at(port) as client:
        assert await client.get("nobody") is None
        with pytest.raises(RequestRefused, match="NOT_FOUND"):
            await client.handle("nobody")
        with pytest.raises(RequestRefused, match="UNKNOWN_WORKFLOW"):
            await client.enqueue("nothing")


async def test_many_start_or_none(port: int, tmp_path: Path) -> None:
    async with at(port) as client:
        items = [Enqueue(name="mirror", params=Point(n, 0)) for n in range(3)]
        handles = await client.enqueue_many(items)
        assert [await handle.result(Point) for handle in handles] == [Point(0, n) for n in range(3)]
        with pytest.raises(RequestRefused, match="INVALID_PARAMS"):
            await client.enqueue_many([*items, Enqueue(name="mirror", params="x")])
        assert len([instance async for instance in client.list()]) == 3


async def test_lists_across_pages(port: int) -> None:
    async with at(port) as client:
        await client.pause_queue("mirror")
        items = [Enqueue(name="mirror", params=Point(n, 0)) for n in range(250)]
        made = [handle.id for handle in await client.enqueue_many(items)]
        listed = [i.id async for i in client.list(names=["mirror"], order=Order.OLDEST_FIRST)]
        assert listed == made
        assert [i.id async for i in client.list(statuses=[Status.PENDING])] == made[::-1]
        now = datetime.now(UTC)
        assert [i async for i in client.list(created_after=now + timedelta(hours=1))] == []
        assert len([i async for i in client.list(created_before=now + timedelta(hours=1))]) == 250
        assert [i async for i in client.list(names=[])] == []


async def test_a_paused_queue_starts_nothing_until_it_is_resumed(port: int) -> None:
    async with at(port) as client:
        assert (await client.pause_queue("mirror")).paused
        handle = await client.enqueue("mirror", Point(1, 2))
        with pytest.raises(TimeoutError):
            await handle.result(timeout=0.5)
        (queue,) = [queue for queue in await client.queues() if queue.name == "mirror"]
        assert (queue.paused, queue.pending, queue.running) == (True, 1, 0)
        assert not (await client.resume_queue("mirror")).paused
        assert await handle.result(Point, timeout=5) == Point(2, 1)


async def test_an_answer_that_was_lost_is_no_work_twice(port: int, tmp_path: Path) -> None:
    async with linked(port) as link, Client(link.url) as client:
        await client.ping()
        link.lose = True
        handle = await client.enqueue("mirror", Point(1, 2))
        assert not link.lose
        assert await handle.result(Point) == Point(2, 1)
        assert len([instance async for instance in client.list()]) == 1
    assert (tmp_path / "runs").read_text().splitlines() == ["mirror"]


async def test_a_watcher_whose_link_is_cut_again_and_again_misses_nothing(port: int) -> None:
    async with linked(port) as link, Client(link.url) as client:
        handle = await client.enqueue("count", 1_000)
        seen: list[str] = []
        async for event in handle.watch():
            seen.append(event.cursor)
            if len(seen) % 50 == 0:
                link.cut()
        kept = [event.cursor async for event in client.history(handle.id, after=handle.cursor)]
    assert len(seen) == 1_002
    assert seen == kept


async def test_hundreds_wait_at_once(port: int) -> None:
    async with at(port) as client:
        items = [Enqueue(name="mirror", params=Point(n, 0)) for n in range(120)]
        handles = await client.enqueue_many(items)
        results = await asyncio.gather(*(handle.result(Point, timeout=30) for handle in handles))
    assert [point.y for point in results] == list(range(120))


async def test_watching_begins_with_what_happens_next(port: int) -> None:
    async with at(port) as client:
        await (await client.enqueue("mirror", Point(1, 2))).result()
        async with aclosing(client.watch(name="mirror", types=[EventType.COMPLETED])) as events:
            first = asyncio.ensure_future(anext(events))
            await asyncio.sleep(0.3)
            handle = await client.enqueue("mirror", Point(3, 4))
            event = await first
        assert (event.instance_id, event.type) == (handle.id, EventType.COMPLETED)


async def test_a_cursor_of_another_log_is_refused(port: int) -> None:
    async with at(port) as client:
        with pytest.raises(RequestRefused, match="INVALID_CURSOR"):
            await anext(client.watch(after="nonsense"))


async def test_closing_ends_who_watches(port: int) -> None:
    async with at(port) as client:
        watching = asyncio.ensure_future(anext(client.watch(after="")))
        await asyncio.sleep(0.3)
    with pytest.raises(RuntimeError, match="closed"):
        await watching
