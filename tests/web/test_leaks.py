"""Whatever way a subscription ends, nothing of it is left, also while nothing happens."""

import asyncio
import gc
import os
import socket
import struct
import threading
from collections.abc import Awaitable, Callable

import pytest

from tests.scale import scaled
from tests.web.conftest import Serve
from tests.web.running import WIDE, Running, Talk

FOLLOW = "subscription { workflowEvents { cursor type } }"
WATCH = "subscription S($id: ID!) { workflowInstance(instanceID: $id) { status } }"


def tasks(server: Running) -> int:
    """Return how many tasks there are on the server's event loop."""

    async def count() -> int:
        gc.collect()
        return len(asyncio.all_tasks()) - 1

    return server.on_loop(count())


def listeners(server: Running) -> int:
    return server.service.emitter.listeners


async def by_complete(talk: Talk) -> None:
    await talk.send(id="1", type="complete")
    await talk.send(id="2", type="complete")
    await asyncio.sleep(0.2)
    await talk.subscribe("3", "{ __typename }")
    assert await talk.next("3") == "Query"


async def by_close(talk: Talk) -> None:
    await talk.connection.close()


async def by_vanishing(talk: Talk) -> None:
    talk.connection.transport.abort()


async def by_reset(talk: Talk) -> None:
    raw = talk.connection.transport.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    talk.connection.transport.abort()


async def by_a_wrong_message(talk: Talk) -> None:
    await talk.connection.send("nonsense")
    await talk.closed()


@pytest.mark.parametrize("end", [by_complete, by_close, by_vanishing, by_reset, by_a_wrong_message])
async def test_an_idle_subscription_ends_at_once(
    server: Running, end: Callable[[Talk], Awaitable[None]]
) -> None:
    made = server.enqueue()["instance"]["id"]
    await server.until(lambda: listeners(server) == 0)
    before = tasks(server)
    async with server.socket() as talk:
        await talk.subscribe("1", FOLLOW)
        await talk.subscribe("2", WATCH, id=made)
        await talk.next("2")
        await server.until(lambda: server.service.emitter.parked == 2)
        await end(talk)
        await server.until(lambda: listeners(server) == 0, 1)
    await server.until(lambda: tasks(server) <= before, 2)


async def test_one_of_ten_ends_alone(server: Running) -> None:
    async with server.socket() as talk:
        for number in range(10):
            await talk.subscribe(str(number), FOLLOW)
        await server.until(lambda: server.service.emitter.parked == 10)
        await talk.send(id="4", type="complete")
        await server.until(lambda: listeners(server) == 9, 1)
        await asyncio.to_thread(server.enqueue)
        told = {(await talk.receive())["id"] for _ in range(9)}
        assert told == {str(number) for number in range(10)} - {"4"}


async def test_many_connections_that_are_reset_leave_nothing(serve: Serve) -> None:
    server = serve()
    count = scaled(100, 500)

    async def once() -> None:
        async with server.socket() as talk:
            await talk.subscribe("1", FOLLOW)
            await server.until(lambda: listeners(server) > 0)
            await by_reset(talk)

    await once()
    await server.until(lambda: listeners(server) == 0)
    base = (tasks(server), threading.active_count(), len(os.listdir("/proc/self/fd")))
    for _ in range(0, count, 20):
        await asyncio.gather(*(once() for _ in range(20)))
    await server.until(lambda: listeners(server) == 0)
    await asyncio.sleep(0.2)
    await server.until(lambda: tasks(server) <= base[0])
    assert threading.active_count() <= base[1] + 1
    assert len(os.listdir("/proc/self/fd")) <= base[2] + 5


async def test_a_reader_that_stopped_reading_holds_up_nobody(serve: Serve) -> None:
    server = serve(ring_events=50)
    with server.raw_socket(f"subscription {{ {WIDE} }}"):
        await server.until(lambda: listeners(server) == 1)
        await asyncio.to_thread(server.enqueue_many, 1_000, queue="q" * 200)
        async with server.socket() as talk:
            await talk.subscribe("1", FOLLOW)
            await server.until(lambda: server.service.emitter.parked == 1)
            await asyncio.to_thread(server.enqueue)
            await talk.next()
    await server.until(lambda: listeners(server) == 0, 2)


async def test_clients_that_hang_up_in_the_middle_do_no_harm(server: Running) -> None:
    def hang_up(number: int) -> None:
        document = 'mutation { enqueue(input: {name: \\"echo\\", params: %d}) { created } }'
        body = ('{"query": "' + document % number + '"}').encode()
        head = b"POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        request = head + b"Content-Length: %d\r\n\r\n" % len(body) + body
        with socket.create_connection(("127.0.0.1", server.web.port)) as raw:
            raw.sendall(request[: len(request) * number // 60])

    for number in range(61):
        await asyncio.to_thread(hang_up, number)
    made = await asyncio.to_thread(server.enqueue)
    assert made["created"] is True
