"""The service as it is served: a process of its own, asked over HTTP."""

import asyncio
import json
import sys
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from bench.process import Running, free_port, output_of, running


class Server:
    """A GraphQL server that answers on a port of this machine."""

    def __init__(self, process: Running, port: int) -> None:
        self.process = process
        self.port = port
        self._url = f"http://127.0.0.1:{port}/graphql"

    async def ask(self, body: Mapping[str, object]) -> dict[str, object]:
        """Return the data of one request; raise when the answer has errors."""
        async with httpx.AsyncClient() as client:
            answer = (await client.post(self._url, json=dict(body), timeout=30)).json()
        if answer.get("errors"):
            raise RuntimeError(str(answer["errors"]))
        return answer["data"]

    async def load(self, body: Mapping[str, object], *, connections: int, seconds: float) -> float:
        """Return how many such requests it answers a second, asked by another process."""
        arguments = ("-m", "bench.http_load", str(self.port), str(connections), str(seconds))
        given = json.dumps(body)
        return float(await output_of(sys.executable, arguments, within=seconds + 30, given=given))

    async def ready(self, within: float) -> None:
        """Return when it answers."""
        end = time.perf_counter() + within
        while True:
            try:
                await self.ask({"query": "{ __typename }"})
            except (httpx.TransportError, json.JSONDecodeError):
                if self.process.process.returncode is not None or time.perf_counter() > end:
                    raise
                await asyncio.sleep(0.05)
            else:
                return


@asynccontextmanager
async def serving(*arguments: str, port: int) -> AsyncGenerator[Server]:
    """Run a server by a command of Python's for as long as the block lasts."""
    async with running(*arguments, env={"WORKFLOW_LOG_LEVEL": "warning"}) as process:
        server = Server(process, port)
        await server.ready(20)
        yield server


@asynccontextmanager
async def service(path: Path, *options: str) -> AsyncGenerator[Server]:
    """Serve the benches' workflows on a database file."""
    port = free_port()
    database = ("--database", f"sqlite:///{path}", "--port", str(port))
    command = ("-m", "service.cli", "serve", "bench.workflows:workflows", *database, *options)
    async with serving(*command, port=port) as server:
        yield server


@asynccontextmanager
async def bare() -> AsyncGenerator[Server]:
    """Serve the yardstick."""
    port = free_port()
    async with serving("-m", "bench.bare", str(port), port=port) as server:
        yield server
