"""What a stop and a crash leave to the next process: A8, A11 and A12."""

import asyncio
from collections.abc import Sequence

import pytest

from service.client import Client, EventType, Status, WorkflowFailed
from tests.processes import Crew, Process, until
from tests.scenarios.notes import BEGAN, ENDED, Notes


def risen(crew: Crew) -> Process:
    """Return the server, started again if it has ended."""
    if not crew.processes:
        crew.sets(WORKFLOW_GRACE="0.5s")
        crew.serve()
    elif not crew.processes[-1].running:
        crew.serve(port=crew.processes[-1].port)
    crew.ready()
    return crew.processes[-1]


async def told(client: Client, instance_id: str) -> Sequence[EventType]:
    return [event.type async for event in client.history(instance_id)]


async def test_a8_a_stop_takes_nothing_from_what_runs(
    sqlite_module_crew: Crew, notes: Notes
) -> None:
    server = risen(sqlite_module_crew)
    async with Client(server.url) as client:
        handle = await client.enqueue("job", {"file": notes.file, "seconds": 3})
        await until(lambda: notes.words() == [BEGAN])
        assert server.stop(within=10) == 0
        risen(sqlite_module_crew)
        assert await handle.result(timeout=30) == ""
        assert await told(client, handle.id) == [
            EventType.ENQUEUED,
            EventType.STARTED,
            EventType.RELEASED,
            EventType.STARTED,
            EventType.COMPLETED,
        ]
    assert notes.words() == [BEGAN, BEGAN, ENDED]


async def test_a11_every_crash_counts(sqlite_module_crew: Crew, notes: Notes) -> None:
    server = risen(sqlite_module_crew)
    async with Client(server.url) as client:
        # The first crash may come before the answer.
        asked = asyncio.create_task(client.enqueue("poison", {"file": notes.file}))
        for run in (1, 2):
            await until(lambda: not sqlite_module_crew.processes[-1].running)
            assert notes.count(BEGAN) == run
            sqlite_module_crew.serve(port=server.port)
        handle = await asked
        with pytest.raises(WorkflowFailed, match="worker lost"):
            await handle.result(timeout=30)
        job = await client.enqueue("job", {"file": notes.file, "tag": "well"})
        assert await job.result(timeout=30) == "well"
        assert (await client.handle(handle.id)).instance.status is Status.FAILED
        assert await told(client, handle.id) == [
            EventType.ENQUEUED,
            EventType.STARTED,
            EventType.RECLAIMED,
            EventType.STARTED,
            EventType.FAILED,
        ]
    assert notes.runs()[handle.id] == 2


async def test_a12_after_a_crash_it_goes_on_at_its_checkpoint(
    sqlite_module_crew: Crew, notes: Notes
) -> None:
    server = risen(sqlite_module_crew)
    async with Client(server.url) as client:
        params = {"file": notes.file, "tag": "mine", "seconds": 1.5}
        handle = await client.enqueue("stages", params)
        await until(lambda: len(notes.words()) == 2)
        server.kill()
        risen(sqlite_module_crew)
        assert await handle.result(timeout=30) == 2
        assert (await client.handle(handle.id)).instance.input == params
    assert notes.words("mine") == ["first:0", "second:1", "second:1", "third:2"]
