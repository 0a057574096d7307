import asyncio
import json
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

import httpx
import pytest
from websockets.asyncio.client import connect

from service.client import Client, Event, EventType, Status
from tests.cli.flows import FLOWS
from tests.processes import Process, free_port

Start = Callable[..., Process]


async def until(done: Callable[[], bool], within: float = 5) -> None:
    async with asyncio.timeout(within):
        while not done():
            await asyncio.sleep(0.02)


def lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


async def test_runs_what_is_enqueued_and_tells_of_it(start: Start) -> None:
    server = start().ready()
    async with Client(server.url) as client:
        handle = await client.enqueue("echo", "hello")
        assert [event.type async for event in handle.watch()] == [
            EventType.STARTED,
            EventType.COMPLETED,
        ]
        assert await handle.result() == "hello"
    assert server.stop() == 0
    records = [json.loads(line) for line in server.told.splitlines()]
    assert {"time", "level", "logger", "message"} <= set(records[0])
    (heard,) = [record for record in records if record["message"] == "heard hello"]
    assert (heard["instance"], heard["workflow"], heard["action"]) == (handle.id, "echo", "run")
    assert not [record for record in records if record["level"] in ("warning", "error", "critical")]


async def test_running_work_gets_its_grace_and_nothing_new_is_claimed(
    start: Start, tmp_path: Path
) -> None:
    server = start().ready()
    file = tmp_path / "notes"
    async with Client(server.url) as client:
        first = await client.enqueue("lane", {"file": str(file), "seconds": 1}, queue="one-lane")
        await until(lambda: lines(file) == ["began"])
        second = await client.enqueue("lane", {"file": str(file)}, queue="one-lane")
    assert server.stop() == 0
    assert lines(file) == ["began"]
    reader = start("serve", FLOWS, "--no-worker").ready()
    async with Client(reader.url) as client:
        ended = await client.handle(first.id)
        assert ended.instance.status is Status.COMPLETED
        assert (await client.handle(second.id)).instance.status is Status.PENDING


async def test_what_does_not_end_in_time_is_given_back_and_picked_up_at_once(
    start: Start, tmp_path: Path
) -> None:
    server = start().ready()
    file = tmp_path / "notes"
    async with Client(server.url) as client:
        handle = await client.enqueue("slow", {"file": str(file), "seconds": 60})
        await until(lambda: lines(file) == ["began"])
        other = start(WORKFLOW_LEASE="60s").ready()
        assert server.stop(within=2) == 0
    async with Client(other.url) as client:
        await until(lambda: lines(file) == ["began", "began"])
        types = [event.type async for event in client.history(handle.id)]
    assert types == [EventType.ENQUEUED, EventType.STARTED, EventType.RELEASED, EventType.STARTED]


async def test_a_blocked_loop_is_told_of_holds_no_answer_up_and_no_exit(
    start: Start, tmp_path: Path
) -> None:
    server = start(WORKFLOW_LEASE="60s").ready()
    file = tmp_path / "notes"
    async with Client(server.url) as client:
        handle = await client.enqueue("block", {"file": str(file), "seconds": 60})
        await until(lambda: lines(file) == ["began"])
        async with asyncio.timeout(1):
            assert (await client.handle(handle.id)).instance.status is Status.RUNNING
    await until(lambda: "blocked" in httpx.get(f"{server.address}/health", timeout=1).json())
    assert handle.id in httpx.get(f"{server.address}/health", timeout=1).text
    assert server.stop(within=2) == 0
    reader = start("serve", FLOWS, "--no-worker").ready()
    async with Client(reader.url) as client:
        assert (await client.handle(handle.id)).instance.status is Status.PENDING


async def test_a_thread_that_goes_on_does_not_hold_the_exit_up(
    start: Start, tmp_path: Path
) -> None:
    server = start().ready()
    file = tmp_path / "notes"
    async with Client(server.url) as client:
        await client.enqueue("block-a-thread", {"file": str(file), "seconds": 60})
        await until(lambda: lines(file) == ["began"])
    assert server.stop(within=2) == 0


async def test_work_that_would_end_the_process_ends_itself_alone(start: Start) -> None:
    server = start().ready()
    async with Client(server.url) as client:
        quitter = await client.enqueue("quit-the-process", "now")
        assert [event.type async for event in quitter.watch()][-1] is EventType.FAILED
        assert await (await client.enqueue("echo", "still here")).result(timeout=5) == "still here"
    assert server.stop() == 0


async def test_a_killed_server_started_again_finishes_the_work(
    start: Start, tmp_path: Path
) -> None:
    port = free_port()
    file = tmp_path / "notes"
    seen: list[Event] = []
    server = start(port=port).ready()
    async with Client(server.url) as client:
        handle = await client.enqueue("stages", {"file": str(file), "seconds": 0.3})

        async def follow() -> None:
            async with aclosing(client.watch(handle.id, after="")) as events:
                async for event in events:
                    seen.append(event)
                    if event.type is EventType.COMPLETED:
                        return

        following = asyncio.create_task(follow())
        await until(lambda: lines(file) == ["first", "second"])
        server.kill()
        start(port=port)
        async with asyncio.timeout(20):
            await following
        kept = [event async for event in client.history(handle.id)]
        assert await handle.result() == "done"
    assert seen == kept
    assert [event.type for event in seen] == [
        EventType.ENQUEUED,
        EventType.STARTED,
        EventType.CHECKPOINT,
        EventType.RECLAIMED,
        EventType.STARTED,
        EventType.CHECKPOINT,
        EventType.STARTED,
        EventType.COMPLETED,
    ]
    assert lines(file) == ["first", "second", "second", "third"]


async def test_sockets_are_closed_with_a_code_when_it_stops(start: Start) -> None:
    server = start().ready()
    url = server.url.replace("http", "ws")
    sockets = [await connect(url, subprotocols=["graphql-transport-ws"]) for _ in range(20)]  # pyright: ignore[reportArgumentType]
    for socket in sockets:
        await socket.send('{"type": "connection_init"}')
        await socket.recv()
        query = "subscription { workflowEvents { type } }"
        message = {"id": "1", "type": "subscribe", "payload": {"query": query}}
        await socket.send(json.dumps(message))
    assert server.stop() == 0
    for socket in sockets:
        await socket.wait_closed()
        assert socket.close_code == 1012
    assert "Traceback" not in server.told


async def test_a_watcher_goes_on_with_the_next_server(start: Start) -> None:
    port = free_port()
    server = start(port=port).ready()
    async with (
        Client(server.url) as client,
        aclosing(client.watch(name="echo", after="")) as events,
    ):
        seen: list[str] = []
        enqueued = [await client.enqueue("echo", "one")]
        async for event in events:
            seen.append(f"{event.type} {event.instance_id}")
            if event.type is EventType.COMPLETED and len(enqueued) == 1:
                assert server.stop() == 0
                server = start(port=port)
                enqueued.append(await client.enqueue("echo", "two"))
            elif event.type is EventType.COMPLETED:
                break
    kinds = "ENQUEUED", "STARTED", "COMPLETED"
    assert seen == [f"{kind} {handle.id}" for handle in enqueued for kind in kinds]


async def test_a_worker_runs_what_another_process_takes(start: Start) -> None:
    worker = start("worker", FLOWS).ready()
    api = start("serve", FLOWS, "--no-worker").ready()
    async with Client(api.url) as client:
        assert await (await client.enqueue("echo", "hello")).result(timeout=5) == "hello"
    assert httpx.get(f"{worker.address}/health").status_code == 200
    assert httpx.post(worker.url, json={"query": "{ __typename }"}).status_code == 404
    assert (worker.stop(), api.stop()) == (0, 0)


@pytest.mark.parametrize("words", [("serve", FLOWS), ("worker", FLOWS), ("demo",)])
def test_says_that_it_is_not_ready_while_it_stops_and_then_is_gone(
    start: Start, words: tuple[str, ...]
) -> None:
    server = start(*words).ready()
    assert server.stop() == 0
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{server.address}/ready")
