"""Processes that share a file, and those who listen to them: A15 and A17."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import psutil
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from service.client import Client, Enqueue, EventType
from tests.processes import Crew, Process, until
from tests.scale import scaled
from tests.scenarios.history import position
from tests.scenarios.notes import BEGAN, ENDED, Notes

ENQUEUE = """mutation ($input: EnqueueInput!) {
  enqueue(input: $input) { created instance { instanceID } }
}"""
MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class House:
    """Two that answer, of whom one runs instances too."""

    api: Process
    server: Process


@pytest.fixture(scope="module")
def house(module_crew: Crew) -> House:
    house = House(module_crew.api(), module_crew.serve())
    module_crew.ready()
    return house


async def test_a15_no_enqueue_with_a_key_fails_because_the_file_is_busy(
    house: House, notes: Notes
) -> None:
    params = {"file": notes.file}
    count = scaled(200, 2_000)
    turn = asyncio.Semaphore(40)

    async def enqueue(http: httpx.AsyncClient, url: str, key: str) -> Mapping[str, Any]:
        given = {"name": "job", "params": params, "idempotencyKey": key}
        body = {"query": ENQUEUE, "variables": {"input": given}}
        async with turn:
            return (await http.post(url, json=body)).json()

    async with httpx.AsyncClient(timeout=60) as http:
        asked = [
            (url, f"a15-{n}") for n in range(count) for url in (house.api.url, house.server.url)
        ]
        answers = await asyncio.gather(*(enqueue(http, url, key) for url, key in asked))
    assert [answer for answer in answers if "errors" in answer] == []
    placed = [answer["data"]["enqueue"] for answer in answers]
    assert sum(each["created"] for each in placed) == count
    ids = {
        key: each["instance"]["instanceID"] for (_, key), each in zip(asked, placed, strict=True)
    }
    assert {each["instance"]["instanceID"] for each in placed} == set(ids.values())
    await until(lambda: notes.count(ENDED) == count)
    assert notes.runs() == dict.fromkeys(ids.values(), 1)


async def test_a17_a_retry_is_told(house: House, notes: Notes) -> None:
    async with Client(house.api.url) as client:
        handle = await client.enqueue("falters", {"file": notes.file})
        events = [event async for event in handle.watch()]
    assert [(event.type, event.attempt) for event in events] == [
        (EventType.STARTED, 1),
        (EventType.CHECKPOINT, 1),
        (EventType.RETRYING, 1),
        (EventType.STARTED, 2),
        (EventType.RETRYING, 2),
        (EventType.STARTED, 3),
        (EventType.FAILED, 3),
    ]
    errors = [event.error for event in events if event.error is not None]
    assert errors == ["RuntimeError: it fell down"] * 3


async def test_a17_events_reach_those_who_listen_to_another_process(
    house: House, notes: Notes
) -> None:
    kinds = [EventType.ENQUEUED, EventType.STARTED, EventType.COMPLETED]
    async with Client(house.api.url) as listener, Client(house.server.url) as client:
        handle = await client.enqueue("job", {"file": notes.file})
        here = await listener.handle(handle.id)
        heard = [event async for event in here.watch()]
        told = [event async for event in listener.history(handle.id)]
        assert [event.type for event in told] == kinds
        assert heard == told[len(told) - len(heard) :]
        # The other way round: the answering process runs nothing itself.
        sent = await listener.enqueue("job", {"file": notes.file})
        assert [event.type async for event in sent.watch()] == kinds[1:]
    assert notes.count(BEGAN) == 2


async def test_a17_subscribers_that_do_not_read_cost_little_and_miss_nothing(
    house: House,
) -> None:
    memory = psutil.Process(house.api.process.pid).memory_info
    instances, length = 100, 4_000  # ten failures each, of 12 kB: 12 MB for every subscriber
    async with AsyncExitStack() as stack, Client(house.server.url) as client:
        stalled = [await stack.enter_async_context(subscribed(house.api, n)) for n in range(16)]
        before = memory().rss
        items = [Enqueue(name="grumbles", params=length) for _ in range(instances)]
        handles = await client.enqueue_many(items)
        told = [event for handle in handles async for event in handle.watch()]
        failed = [event.cursor for event in told if event.error is not None]
        assert len(failed) == instances * 10
        assert memory().rss - before < 128 * MIB
        async with asyncio.timeout(60):
            heard = [await next_cursor(stalled[0]) for _ in failed]
        assert heard == sorted(failed, key=position)
        assert memory().rss - before < 128 * MIB


@asynccontextmanager
async def subscribed(server: Process, number: int) -> AsyncIterator[ClientConnection]:
    """Subscribe over a socket that takes little and reads on only when it is asked.

    Each asks in other words, so that no two share what is sent to them.
    """
    small = socket.create_connection(("127.0.0.1", server.port))
    small.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
    query = (
        f"subscription Number{number} {{ workflowEvents("
        'name: "grumbles", types: [RETRYING, FAILED]) { cursor error type } }'
    )
    connection = await connect(
        server.url.replace("http", "ws"),
        sock=small,
        subprotocols=[Subprotocol("graphql-transport-ws")],
        max_queue=1,
        ping_interval=None,
    )
    try:
        await connection.send(json.dumps({"type": "connection_init"}))
        assert json.loads(await connection.recv())["type"] == "connection_ack"
        message = {"type": "subscribe", "id": "1", "payload": {"query": query}}
        await connection.send(json.dumps(message))
        yield connection
    finally:
        connection.transport.abort()  # what it has not read keeps it from closing in order
        await connection.wait_closed()


async def next_cursor(connection: ClientConnection) -> str:
    """Read on, and return the cursor of the next event."""
    while (message := json.loads(await connection.recv()))["type"] != "next":
        assert message["type"] in ("ping", "pong"), message
    return message["payload"]["data"]["workflowEvents"]["cursor"]
