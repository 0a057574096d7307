"""Serves an application, and its lifespan, on the event loop that it is run on."""

import asyncio
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress

import uvicorn
from starlette.applications import Starlette

from service.web.protocol import PatientProtocol

KEEP_ALIVE_SECONDS = 75
"""How long an idle HTTP connection is kept: longer than clients and proxies keep theirs."""


class Serving:
    """Serves an application, with its lifespan, on the event loop that it is run on."""

    def __init__(self, app: Starlette, bound: socket.socket, *, body_limit: int) -> None:
        self._app = app
        self._socket = bound
        self._server = _Server(
            uvicorn.Config(
                app,
                http="httptools",
                ws=PatientProtocol,
                ws_max_size=body_limit,
                ws_per_message_deflate=False,
                lifespan="off",
                log_config=None,
                log_level="warning",
                access_log=False,
                proxy_headers=False,
                server_header=False,
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
            )
        )

    @property
    def port(self) -> int:
        """Return the port that it listens on."""
        return self._socket.getsockname()[1]

    async def run(self, ready: Callable[[], None]) -> None:
        """Open the application, serve it until `stop`, and close it; `ready` is called between."""
        try:
            async with self._app.router.lifespan_context(self._app):
                self._server.ready = ready
                await self._server.serve([self._socket])
        finally:
            self._socket.close()

    def stop(self, seconds: float) -> None:
        """Have it end within so many seconds, whatever its peers do; on its event loop."""
        self._server.end(seconds)


class _Server(uvicorn.Server):
    """uvicorn's server, which leaves signals alone and wakes when it is to end."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready: Callable[[], None] = lambda: None
        self._ending = asyncio.Event()

    def end(self, seconds: float) -> None:
        """Close what is open, and wait for it at most so many seconds."""
        self.config.timeout_graceful_shutdown = seconds  # pyright: ignore[reportAttributeAccessIssue]
        self.should_exit = True
        self._ending.set()

    async def main_loop(self) -> None:
        """Serve until the end; once a second is for the date in headers."""
        self.ready()
        while not await self.on_tick(0):
            with suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await self._ending.wait()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave signals to whoever runs the process."""
        yield
