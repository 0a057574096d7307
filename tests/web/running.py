"""A server in a thread, and how a test talks to it: HTTP, and graphql-transport-ws."""

import asyncio
import json
import socket
import struct
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Self, TypeVar

import httpx
from starlette.applications import Starlette
from websockets import ClientConnection, Subprotocol, connect

from service.bootstrap import Service
from service.settings import Settings
from service.web.app import create_app
from tests.web.flows import workflows
from tests.web.threaded import WebServer

PROTOCOL = Subprotocol("graphql-transport-ws")

HANDSHAKE = (
    b"GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    b"Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n"
)

_QUEUES = " ".join(f"q{number}: queue" for number in range(40))
WIDE = f'workflowEvents(after: "") {{ cursor {_QUEUES} }}'
"""Of an event in a queue with a long name, 8 kB: a few hundred fill every buffer on the way."""

Answer = dict[str, Any]

T = TypeVar("T")


class Running:
    """A server that answers at `url`."""

    def __init__(self, app: Starlette, web: WebServer) -> None:
        self.app = app
        self.web = web
        self.url = f"http://127.0.0.1:{web.port}"
        self.http = httpx.Client(base_url=self.url, timeout=20)

    @property
    def service(self) -> Service:
        """The service that it answers from; it lives on the server's event loop."""
        return self.app.state.service

    @property
    def head(self) -> int:
        """Where the log ends: it stands still while nothing is changed."""
        return self.service.emitter.head

    def post(self, body: Mapping[str, Any]) -> httpx.Response:
        return self.http.post("/graphql", json=body)

    def ask(self, document: str, **variables: Any) -> Answer:
        """Return the whole answer."""
        return self.post({"query": document, "variables": variables}).json()

    def data(self, document: str, **variables: Any) -> Any:
        """Return the one field that the document asks for, which must not have failed."""
        answer = self.ask(document, **variables)
        assert "errors" not in answer, answer
        [value] = answer["data"].values()
        return value

    def enqueue(self, name: str = "echo", params: Any = "hello", **more: Any) -> Answer:
        document = (
            "mutation M($input: EnqueueInput!) { enqueue(input: $input) "
            "{ created cursor instance { id status priority cursor } } }"
        )
        return self.data(document, input={"name": name, "params": params, **more})

    def enqueue_many(self, count: int, name: str = "echo", **more: Any) -> list[Answer]:
        document = (
            "mutation M($input: EnqueueManyInput!) { enqueueMany(input: $input) "
            "{ results { created cursor instance { id } } } }"
        )
        items = [{"name": name, "params": "hello", **more}] * count
        return self.data(document, input={"items": items})["results"]

    @asynccontextmanager
    async def socket(self, *, ready: bool = True, **options: Any) -> "AsyncGenerator[Talk]":
        options = {"subprotocols": [PROTOCOL], "compression": None, **options}
        async with connect(f"{self.url.replace('http', 'ws')}/graphql", **options) as connection:
            talk = Talk(connection)
            if ready:
                await talk.init()
            yield talk

    def on_loop(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what a coroutine gives on the server's event loop."""
        loop = self.web._loop
        assert loop is not None
        return asyncio.run_coroutine_threadsafe(work, loop).result(20)

    def wait(self, reached: Callable[[], object], seconds: float = 10) -> None:
        end = time.monotonic() + seconds
        while not reached():
            assert time.monotonic() < end, "not reached in time"
            time.sleep(0.005)

    async def until(self, reached: Callable[[], object], seconds: float = 10) -> None:
        """Wait as `wait` does, and let this loop's connections go on meanwhile."""
        end = time.monotonic() + seconds
        while not reached():
            assert time.monotonic() < end, "not reached in time"
            await asyncio.sleep(0.005)

    @contextmanager
    def raw_socket(self, document: str | None = None) -> "Iterator[socket.socket]":
        """Give a WebSocket without a client behind it, which reads nothing; it may subscribe."""
        with socket.create_connection(("127.0.0.1", self.web.port)) as raw:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            raw.sendall(HANDSHAKE)
            assert b" 101 " in raw.recv(4096)
            if document is not None:
                payload = {"query": document}
                _send_raw(raw, {"type": "connection_init"})
                _send_raw(raw, {"id": "1", "type": "subscribe", "payload": payload})
            yield raw


class Talk:
    """One WebSocket, from the client's side."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    async def init(self) -> Self:
        await self.send(type="connection_init")
        assert await self.receive() == {"type": "connection_ack"}
        return self

    async def send(self, **message: Any) -> None:
        await self.connection.send(json.dumps(message))

    async def subscribe(self, key: str, document: str, **variables: Any) -> None:
        payload = {"query": document, "variables": variables}
        await self.send(id=key, type="subscribe", payload=payload)

    async def receive(self, seconds: float = 10) -> Answer:
        async with asyncio.timeout(seconds):
            return json.loads(await self.connection.recv())

    async def next(self, key: str = "1") -> Any:
        """Return the one field of the next answer to an operation."""
        message = await self.receive()
        assert (message["type"], message["id"]) == ("next", key), message
        [value] = message["payload"]["data"].values()
        return value

    async def closed(self) -> int | None:
        """Return the code with which the server closes."""
        async with asyncio.timeout(10):
            await self.connection.wait_closed()
        return self.connection.close_code


def _send_raw(raw: socket.socket, message: Answer) -> None:
    data = json.dumps(message).encode()
    raw.sendall(struct.pack(">BBHI", 0x81, 0xFE, len(data), 0) + data)


@contextmanager
def running(*, worker: bool, **given: Any) -> Iterator[Running]:
    settings = Settings.read(**given)
    apps: list[Starlette] = []

    def make() -> Starlette:
        apps.append(create_app(workflows, settings, worker=worker))
        return apps[0]

    web = WebServer(make, "127.0.0.1", 0, body_limit=settings.body_limit)
    web.start()
    server = Running(apps[0], web)
    try:
        yield server
    finally:
        server.http.close()
        assert web.stop(10)
