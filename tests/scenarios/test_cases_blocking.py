"""An author's code that blocks holds up its own event loop, and nothing else."""

import asyncio
import time

from service import Context, Workflows
from service.client import Client, EventType
from tests.processes import Crew, until
from tests.scale import scaled
from tests.scenarios.harsh import HARSH
from tests.scenarios.inside import ended, enqueue_many, site
from tests.scenarios.notes import BEGAN, ENDED, Notes, note


async def test_bug_125_a_loop_that_is_held_up_keeps_its_lease_and_holds_up_no_other_process(
    sqlite_crew: Crew, notes: Notes
) -> None:
    sqlite_crew.sets(WORKFLOW_LEASE="2s", WORKFLOW_HEARTBEAT="0.25s")
    sqlite_crew.bears("blocks the event loop")
    server, other = sqlite_crew.serve(authors=HARSH), sqlite_crew.worker(authors=HARSH)
    sqlite_crew.ready()
    async with Client(server.url) as client:
        job = {"file": notes.file, "tag": "blocks", "seconds": scaled(3.5, 10)}
        handle = await client.enqueue("blocks", job)
        await until(lambda: notes.words("blocks") == [BEGAN])
        answered = 0
        while notes.words("blocks") == [BEGAN]:
            await client.ping()
            answered += 1
            tag = f"other-{answered}"
            await client.enqueue("caught", {"file": notes.file, "tag": tag})
            await until(lambda tag=tag: notes.words(tag) == [BEGAN, ENDED])
            await asyncio.sleep(0.1)
        assert answered > 3
        assert await handle.result(timeout=60) == "blocks"
        types = [event.type async for event in client.history(handle.id)]
        assert types == [EventType.ENQUEUED, EventType.STARTED, EventType.COMPLETED]
    assert notes.words("blocks") == [BEGAN, ENDED]
    assert "blocks the event loop" in server.told + other.told


async def test_bug_127_fifty_blocking_calls_in_threads_leave_the_api_free(
    sqlite_database: str, notes: Notes
) -> None:
    # Plain functions run in threads of ours once there are steps; until then in asyncio's own.
    workflows = Workflows()

    @workflows.workflow
    async def work(ctx: Context[None], params: None) -> None:
        note(notes.file, BEGAN)
        await asyncio.to_thread(time.sleep, 0.1)
        note(notes.file, ENDED)

    async with site(sqlite_database, workflows) as page:
        ids = await enqueue_many(page.service, "work", [None] * 50)
        answers = 0
        while notes.count(ENDED) < 50:
            assert await page.data("{ __typename }") == "Query"
            answers += notes.count(ENDED) < 50
        assert answers > 3
        await ended(page.service, *ids)
    assert notes.count(BEGAN) == notes.count(ENDED) == 50
