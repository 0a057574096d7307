"""Servers that answer by a script, for what a well-behaved one never does."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.server import ServerConnection, serve

from service.client.websocket import PROTOCOL

INSTANCE = {
    "id": "i1",
    "name": "order",
    "queue": "orders",
    "status": "PENDING",
    "priority": 0,
    "attempts": 0,
    "max_attempts": 1,
    "last_error": None,
    "input": None,
    "output": None,
    "idempotency_key": None,
    "singleton_key": None,
    "created_at": "2030-01-01T00:00:00.000000Z",
    "updated_at": "2030-01-01T00:00:00.000000Z",
    "started_at": None,
    "finished_at": None,
    "run_after": "2030-01-01T00:00:00.000000Z",
    "cursor": "c0",
}

Reply = tuple[int, Any] | None
"""A status and a body, or None to close the connection without an answer."""


@dataclass
class Script:
    """What the server will answer, and what it was asked. The last answer is given for ever."""

    replies: list[Reply]
    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)


def event(number: int, **more: Any) -> dict[str, Any]:
    """Return the event at that place of the log."""
    return {
        "cursor": f"c{number}",
        "type": "CHECKPOINT",
        "at": "2030-01-01T00:00:00.000000Z",
        "instance_id": "i1",
        "name": "order",
        "queue": "orders",
        "status": "RUNNING",
        "action": "pay",
        "step": None,
        "attempt": 1,
        "error": None,
        "data": None,
        **more,
    }


@asynccontextmanager
async def answering(*replies: Reply) -> AsyncGenerator[Script]:
    """Serve HTTP by a script."""
    script = Script(list(replies))

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                script.headers.append(head)
                length = int(head.lower().partition("content-length:")[2].splitlines()[0])
                script.asked.append(json.loads(await reader.readexactly(length)))
                reply = script.replies.pop(0) if len(script.replies) > 1 else script.replies[0]
                if reply is None:
                    return
                status, body = reply
                text = body if isinstance(body, str) else json.dumps(body)
                line = f"HTTP/1.1 {status} X\r\ncontent-length: {len(text)}\r\n\r\n{text}"
                writer.write(line.encode())
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(converse, "127.0.0.1", 0)
    script.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/graphql"
    async with server:
        yield script


class Talk:
    """The server's side of one WebSocket."""

    def __init__(self, connection: ServerConnection) -> None:
        self.connection = connection

    async def heard(self) -> dict[str, Any]:
        """Return the next message."""
        return json.loads(await self.connection.recv())

    async def say(self, **message: Any) -> None:
        """Send a message."""
        await self.connection.send(json.dumps(message))

    async def welcome(self) -> dict[str, Any]:
        """Shake hands, and return the first subscription."""
        assert (await self.heard())["type"] == "connection_init"
        await self.say(type="connection_ack")
        return await self.heard()

    async def tell(self, key: str, *events: dict[str, Any]) -> None:
        """Send events of a subscription."""
        for each in events:
            await self.say(id=key, type="next", payload={"data": {"event": each}})


@asynccontextmanager
async def talking(*talks: Callable[[Talk], Awaitable[None]]) -> AsyncGenerator[str]:
    """Serve WebSockets by a script: one talk for each connection, the last one for ever."""
    left: Sequence[Callable[[Talk], Awaitable[None]]] = list(talks)

    async def converse(connection: ServerConnection) -> None:
        nonlocal left
        talk, left = left[0], left[1:] or left
        await talk(Talk(connection))

    async with serve(converse, "127.0.0.1", 0, subprotocols=[PROTOCOL], compression=None) as server:
        (listening,) = server.sockets
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/graphql"
