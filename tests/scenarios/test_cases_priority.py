"""Priority is strict inside a queue, and no queue waits for another's backlog."""

import asyncio

from service import Context, Workflows
from tests.scale import scaled
from tests.scenarios.inside import ended, enqueue, enqueue_many, history, services
from tests.scenarios.notes import BEGAN, Notes, note
from tests.scenarios.raw import rows


async def test_bug_103_a_low_one_waits_for_the_flow_to_end_and_not_in_a_queue_of_its_own(
    database: str, notes: Notes
) -> None:
    workflows = Workflows()
    workflows.queue("busy", concurrency=2)
    left = iter(range(60))  # as one runs it sees to the next one: there always is one

    @workflows.workflow(queue="busy")
    async def job(ctx: Context[None], tag: str) -> None:
        note(notes.file, BEGAN, tag=tag)
        if tag == "high" and next(left, None) is not None:
            high.append(await enqueue(one, "job", "high", priority=10))

    async with services(database, workflows, 2) as (one, _):
        await one.queues.pause("busy")
        high = await enqueue_many(one, "job", ["high"] * 10, priority=10)
        low = await enqueue(one, "job", "low")
        await one.queues.resume("busy")
        own = await enqueue(one, "job", "own", queue="calm")
        await ended(one, low, own)
        await ended(one, *high)
    assert notes.tags(BEGAN).index("own") < notes.tags(BEGAN).index("low")
    in_lane = [tag for tag in notes.tags(BEGAN) if tag != "own"]
    assert in_lane == ["high"] * 70 + ["low"]


async def test_bug_105_a_backlog_holds_up_no_other_queue(database: str, notes: Notes) -> None:
    workflows = Workflows()

    @workflows.workflow
    async def bulk(ctx: Context[None], params: None) -> None:
        await asyncio.sleep(0.05)

    @workflows.workflow
    async def single(ctx: Context[None], params: None) -> None:
        note(notes.file, BEGAN)

    async with services(database, workflows, slots=20) as (service,):
        await enqueue_many(service, "bulk", [None] * scaled(3_000, 50_000))
        instance_id = await enqueue(service, "single")
        await ended(service, instance_id)
        bulk_queue = next(each for each in await service.queues.list() if each.name == "bulk")
        assert bulk_queue.pending > 0
        asked, began, _ = [event.position for event in await history(service, instance_id)]
        (overtaken,) = rows(
            database,
            "SELECT count(*) FROM events WHERE type = 'STARTED' AND position BETWEEN ? AND ?",
            asked,
            began - 1,
        )
        # What was being claimed when it came, and at most what the next claims took along.
        assert overtaken[0] <= 3 * 20
    assert notes.count(BEGAN) == 1
