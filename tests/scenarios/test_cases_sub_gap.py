"""A reader with a cursor gets every event once and in order, whatever breaks in between."""

import asyncio
from contextlib import aclosing
from itertools import chain

from service import Context, End, Next, Workflows
from service.domain.events import TERMINAL, EventType
from tests.scale import scaled
from tests.scenarios.history import position
from tests.scenarios.inside import (
    ended,
    enqueue,
    enqueue_many,
    history,
    services,
    site,
)
from tests.scenarios.reading import collected, follow, told_after

READ = "query Q($id: ID!) { workflowInstance(instanceID: $id) { cursor } }"


def registry() -> Workflows:
    workflows = Workflows()
    laps = workflows.machine("laps", input=int)

    @laps.action
    async def lap(ctx: Context[None], left: int) -> Next | End[None]:
        return lap.next(left - 1) if left else End(None)

    return workflows


async def test_bug_175_a_socket_that_is_cut_again_and_again_loses_and_repeats_nothing(
    database: str,
) -> None:
    laps = scaled(300, 1000)
    async with site(database, registry()) as page:
        await page.service.queues.pause("laps")
        instance_id = await enqueue(page.service, "laps", laps)
        after: str = (await page.data(READ, id=instance_id))["cursor"]
        await page.service.queues.resume("laps")
        seen: list[str] = []
        kind = ""
        while kind != "COMPLETED":
            async with (
                page.talk() as talk,
                aclosing(told_after(talk, after, id=instance_id)) as stream,
            ):
                async for event in stream:
                    seen.append(event["cursor"])
                    after, kind = event["cursor"], event["type"]
                    if kind == "COMPLETED":
                        break
                    if len(seen) % 50 == 0:
                        talk.connection.transport.abort()
                        break
        kept = await history(page.service, instance_id)
        assert len(kept) == laps + 3
        assert seen == [page.service.events.cursor_of(event) for event in kept[1:]]


async def test_bug_177_each_instances_events_come_in_the_order_of_its_life(database: str) -> None:
    count = 200
    total = count * (3 + 2)
    async with services(database, registry(), 2) as (one, other), asyncio.timeout(60):
        collecting = [asyncio.create_task(follow(each, "", total)) for each in (one, other)]
        made = await asyncio.gather(
            enqueue_many(one, "laps", [2] * (count // 2)),
            enqueue_many(other, "laps", [2] * (count // 2)),
        )
        first, second = await asyncio.gather(*collecting)
    assert first == second
    assert [event.position for event in first] == list(range(1, total + 1))
    life = [EventType.ENQUEUED, EventType.STARTED, EventType.CHECKPOINT, EventType.CHECKPOINT]
    for instance_id in chain(*made):
        mine = [event.type for event in first if event.instance_id == instance_id]
        assert mine == [*life, EventType.COMPLETED]
        assert mine[-1] in TERMINAL


async def test_bug_179_the_whole_log_is_read_beside_the_live_one_on_any_server(
    database: str,
) -> None:
    old, live = scaled(500, 16_000), 100
    upto = 3 * (old + live)
    workflows = registry()
    async with asyncio.timeout(scaled(60, 600)), site(database, workflows) as here:
        await ended(here.service, *await enqueue_many(here.service, "laps", [0] * old))
        async with site(database, workflows, worker=False) as there:
            reading = [asyncio.create_task(collected(each, "", upto)) for each in (here, there)]
            for _ in range(live):
                await enqueue(here.service, "laps", 0)
            seen, elsewhere = await asyncio.gather(*reading)
        assert [position(each) for each in seen] == list(range(1, upto + 1))
        assert elsewhere == seen
        async with site(database, workflows, worker=False) as there:
            for start in (1, upto // 2, upto - 1):
                assert await collected(there, seen[start - 1], upto) == seen[start:]
