"""A process that is told to stop does so in time, with nothing lost and nobody left waiting."""

import asyncio
import random
import signal
import socket
import threading
from contextlib import AsyncExitStack

from websockets import connect

from service import Workflows
from service.domain.events import EventType
from service.domain.instance import Status
from tests.processes import Crew, until
from tests.scale import scaled
from tests.scenarios.authored import workflows as authored
from tests.scenarios.inside import ended, enqueue, observing, services, types
from tests.scenarios.notes import Notes
from tests.web.running import PROTOCOL, Talk

FOLLOW = "subscription { workflowEvents { type } }"


async def test_bug_128_a_running_action_ends_and_the_next_one_is_handed_back(
    sqlite_crew: Crew, notes: Notes
) -> None:
    sqlite_crew.sets(WORKFLOW_GRACE="10s")
    worker = sqlite_crew.worker()
    sqlite_crew.ready()
    async with observing(sqlite_crew, authored) as observer:
        params = {"file": notes.file, "tag": "running", "seconds": scaled(1, 3)}
        running = await enqueue(observer, "stages", params, queue="one")
        await until(lambda: "second:1" in notes.words("running"))
        params = {"file": notes.file, "tag": "waiting"}
        waiting = await enqueue(observer, "job", params, queue="one")
        assert await asyncio.to_thread(worker.stop, within=11) == 0
        assert notes.words("running") == ["first:0", "second:1"]
        assert notes.words("waiting") == []
        for instance in await observer.workflows.get_many([running, waiting]):
            assert instance is not None
            assert instance.status is Status.PENDING
        sqlite_crew.worker()
        one, other = await ended(observer, running, waiting)
        assert (one.output, other.output) == ("2", '"waiting"')
        happened = await types(observer, running)
        assert not {EventType.RECLAIMED, EventType.RELEASED} & set(happened)
    assert notes.words("running") == ["first:0", "second:1", "third:2"]


async def test_bug_130_idle_sockets_are_closed_with_a_code(sqlite_crew: Crew) -> None:
    server = sqlite_crew.serve()
    sqlite_crew.ready()
    url = server.url.replace("http", "ws")
    async with AsyncExitStack() as stack:
        talks: list[Talk] = []
        for _ in range(20):
            opening = connect(url, subprotocols=[PROTOCOL], compression=None)
            talks.append(await Talk(await stack.enter_async_context(opening)).init())
            await talks[-1].subscribe("1", FOLLOW)
        assert await asyncio.to_thread(server.stop) == 0
        assert {await talk.closed() for talk in talks} == {1012}
    assert "Traceback" not in server.told


async def test_bug_132_what_was_started_and_stopped_leaves_no_thread(sqlite_database: str) -> None:
    before = set(threading.enumerate())
    for _ in range(scaled(10, 50)):
        async with services(sqlite_database, Workflows(), grace="10s"):
            pass
    idle = asyncio.get_running_loop()
    await idle.shutdown_default_executor()
    await until(lambda: set(threading.enumerate()) <= before, 60)  # the last may be on its way


async def test_bug_132_it_always_ends_soon_whatever_keeps_it_from_starting(
    sqlite_crew: Crew,
) -> None:
    # Before our own code is in charge Ctrl-C is Python's, which may lose one as it imports.
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        refused = sqlite_crew.serve(port=taken.getsockname()[1])

        async def interrupt(number: int) -> int:
            file = sqlite_crew.folder / f"early-{number}.db"
            early = sqlite_crew.serve(WORKFLOW_DATABASE=f"sqlite:///{file}")
            await until(file.with_name(f"{file.name}-lock").exists, 60)
            await asyncio.sleep(random.uniform(0, 0.1))
            early.signal(signal.SIGINT)
            return await asyncio.to_thread(early.ended, within=30)

        for number in range(scaled(1, 30)):
            assert await interrupt(number) == 0
        assert refused.ended(within=30) == 1
        assert "choose another port" in refused.told
