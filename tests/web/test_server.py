"""The thread that serves: how it starts, and how it ends whatever its peers do."""

import asyncio
import socket
import threading
import time
from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

import pytest
from starlette.applications import Starlette

from service.domain.errors import Unavailable
from service.settings import Settings
from service.web import protocol
from service.web.app import create_app
from service.web.listening import CannotListen, bind
from tests.web.conftest import Serve
from tests.web.flows import workflows
from tests.web.running import WIDE
from tests.web.threaded import WebServer

FOLLOW = "subscription { workflowEvents { cursor } }"


def test_a_port_in_use_is_told_before_anything_starts(tmp_path: Path) -> None:
    settings = Settings.read(database=f"sqlite:///{tmp_path / 'wf.db'}")
    taken = bind("127.0.0.1", 0)
    port = taken.getsockname()[1]
    server = WebServer(lambda: create_app(workflows, settings), "127.0.0.1", port, body_limit=1_000)
    with taken, pytest.raises(CannotListen, match=rf"127\.0\.0\.1:{port}.*--port"):
        server.start()
    assert list(tmp_path.iterdir()) == []
    assert server.stop(1)


@pytest.mark.parametrize("host", ["no.such.host.invalid", "999.1.1.1", "192.0.2.1"])
def test_an_address_that_is_none_of_ours_is_told(host: str) -> None:
    with pytest.raises(CannotListen, match=host):
        bind(host, 0)


def test_what_keeps_the_application_from_opening_is_raised() -> None:
    @asynccontextmanager
    async def broken(_: Starlette) -> AsyncGenerator[None]:
        raise Unavailable("The database can't be opened.", maybe_applied=False)
        yield

    server = WebServer(lambda: Starlette(lifespan=broken), "127.0.0.1", 0, body_limit=1_000)
    with pytest.raises(Unavailable, match="can't be opened"):
        server.start()
    with socket.create_server(("127.0.0.1", server.port)):
        pass


def test_it_starts_and_ends_again_and_again(settings: Settings) -> None:
    threads = threading.active_count()
    for _ in range(5):
        server = WebServer(
            lambda: create_app(workflows, settings), "127.0.0.1", 0, body_limit=1_000
        )
        server.start()
        assert server.port > 0
        assert server.stop(5)
    assert threading.active_count() == threads


async def test_sockets_are_closed_with_a_code(serve: Serve) -> None:
    server = serve()
    async with server.socket() as busy, server.socket() as idle, server.socket(ready=False) as new:
        for key in "abc":
            await busy.subscribe(key, FOLLOW)
        await server.until(lambda: server.service.emitter.listeners == 3)
        start = time.monotonic()
        assert await asyncio.to_thread(server.web.stop, 5)
        assert time.monotonic() - start < 2
        assert [await talk.closed() for talk in (busy, idle, new)] == [1012] * 3


async def test_it_ends_in_time_though_peers_are_stalled(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    server = serve()
    with ExitStack() as peers:
        for _ in range(3):
            peers.enter_context(server.raw_socket(f"subscription {{ {WIDE} }}"))
        peers.enter_context(server.raw_socket())
        half = peers.enter_context(socket.create_connection(("127.0.0.1", server.web.port)))
        half.sendall(b"POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n")
        await server.until(lambda: server.service.emitter.listeners == 3)
        await asyncio.to_thread(server.enqueue_many, 1_000, queue="q" * 200)
        await asyncio.sleep(0.5)
        start = time.monotonic()
        assert await asyncio.to_thread(server.web.stop, 4)
        assert time.monotonic() - start < 4
    assert "Traceback" not in caplog.text


async def test_a_peer_that_answers_no_ping_is_cut_off(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    def impatient(self: protocol.PatientProtocol) -> None:
        self.ping_interval = self.ping_timeout = 0.1
        self.schedule_ping()

    monkeypatch.setattr(protocol.PatientProtocol, "start_keepalive", impatient)
    server = serve()
    [endpoint] = [route.app for route in server.app.routes if route.name == "graphql"]  # pyright: ignore[reportAttributeAccessIssue]
    with server.raw_socket():
        await server.until(lambda: endpoint.sockets == 1)
        await server.until(lambda: endpoint.sockets == 0, 2)
