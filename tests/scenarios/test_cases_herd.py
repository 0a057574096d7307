"""Many queues, one of them full: the others go on as if they were alone."""

import asyncio

from service import Context, Workflows
from service.domain.events import EventType
from tests.scale import scaled
from tests.scenarios.inside import ended, enqueue, enqueue_many, history, services
from tests.scenarios.notes import BEGAN, Notes, note


async def test_bug_203_one_full_queue_of_a_hundred_holds_up_none_of_the_others(
    database: str, notes: Notes
) -> None:
    workflows = Workflows()
    for number in range(100):
        workflows.queue(f"lane-{number}", concurrency=5)

    @workflows.workflow
    async def job(ctx: Context[None], tag: str) -> None:
        note(notes.file, BEGAN, tag=tag)
        await asyncio.sleep(0.05 if tag == "full" else 0)

    async with services(database, workflows, 2, slots=20) as (one, _):
        await enqueue_many(one, "job", ["full"] * scaled(2_000, 50_000), queue="lane-0")
        ids = [
            await enqueue(one, "job", f"small-{number}", queue=f"lane-{number}")
            for number in range(1, 100)
        ]
        await ended(one, *ids)
        left = next(each for each in await one.queues.list() if each.name == "lane-0")
        assert left.pending > 0
        for instance_id in ids:
            asked, began, *_ = await history(one, instance_id)
            assert (asked.type, began.type) == (EventType.ENQUEUED, EventType.STARTED)
            # Between the two: others' events, no more than some rounds of claims for all places.
            assert began.position - asked.position < 10 * 3 * 40
