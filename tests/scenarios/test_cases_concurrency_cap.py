"""A queue's cap holds over all workers, whatever becomes of those that hold its places."""

import asyncio
from pathlib import Path

from service import Context, Workflows
from service.client import Client, Status
from service.domain.events import EventType
from tests.processes import Crew, until
from tests.scale import scaled
from tests.scenarios.aftermath import FIRST, NEXT, Aftermath
from tests.scenarios.inside import ended, enqueue_many, services
from tests.scenarios.notes import BEGAN, ENDED, Notes, note, overlap


async def test_bug_090_a_cap_of_one_holds_for_two_workers_and_for_six(
    database: str, notes: Notes
) -> None:
    workflows = Workflows()
    workflows.queue("one", concurrency=1)

    @workflows.workflow(queue="one")
    async def job(ctx: Context[None], params: None) -> None:
        note(notes.file, BEGAN, instance=ctx.instance_id)
        await asyncio.sleep(scaled(0.005, 0.05))
        note(notes.file, ENDED, instance=ctx.instance_id)

    count = scaled(40, 200)
    async with services(database, workflows, 2) as (one, _):
        ids = await enqueue_many(one, "job", [None] * count)
        await ended(one, *ids[: count // 2])
        async with services(database, workflows, 4):
            await ended(one, *ids)
    assert overlap(notes.all()) == 1
    assert list(notes.runs().values()) == [1] * count


def test_bug_092_the_place_of_one_that_was_killed_is_free_after_its_lease(
    aftermath: Aftermath,
) -> None:
    assert aftermath.words(FIRST) == [BEGAN, BEGAN, ENDED]
    assert aftermath.words(NEXT) == [BEGAN, ENDED]
    (lease,) = aftermath.fates[FIRST].leases
    (started,) = [
        event for event in aftermath.fates[NEXT].events if event.type is EventType.STARTED
    ]
    assert started.at >= lease
    again = [each for each in aftermath.notes if each.tag in (FIRST, NEXT)]
    assert [each.word for each in again] == [BEGAN, BEGAN, ENDED, BEGAN, ENDED]


async def test_bug_094_no_place_is_lost_whatever_becomes_of_who_held_it(
    crew: Crew, notes: Notes, tmp_path: Path
) -> None:
    # What sleeps, and what waits, is left for when there is such a thing.
    api, worker = crew.api(), crew.worker()
    crew.ready()
    counted = Notes(tmp_path / "counted")
    async with Client(api.url) as client:

        async def enqueue(name: str, **more: object) -> str:
            params = {"file": notes.file, "tag": name, **more}
            given = 3 if name == "grumbles" else params
            if name == "laps":
                given = {"job": params, "left": 2}
            return (await client.enqueue(name, given, queue="three")).id

        mixed = [
            await enqueue(name, seconds=60 if name == "yields" else 0.005)
            for _ in range(scaled(8, 150))
            for name in ("job", "grumbles", "laps", "yields", "unspeakable", "stages")
        ]
        await until(lambda: notes.count(BEGAN, "yields") == 3)
        worker.kill()
        crew.worker()
        async for instance in client.list(names=["yields"]):
            await client.cancel(instance.id)
        async with asyncio.timeout(scaled(60, 600)):
            for instance_id in mixed:
                async for _ in (await client.handle(instance_id)).watch():
                    pass
        lane = next(each for each in await client.queues() if each.name == "three")
        assert (lane.pending, lane.running) == (0, 0)
        last = {"file": counted.file, "seconds": 0.2}
        handles = [await client.enqueue("job", last, queue="three") for _ in range(9)]
        for handle in handles:
            await handle.result(timeout=60)
        statuses = {each.status async for each in client.list(names=["yields"])}
        assert statuses == {Status.CANCELLED}
    assert overlap(counted.all()) == 3
    assert list(counted.runs().values()) == [1] * 9
