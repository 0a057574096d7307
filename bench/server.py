"""The service as it is served: processes of their own, asked over HTTP."""

import asyncio
import json
import sys
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

import httpx

from bench.process import Running, free_port, output_of, running

_WORKFLOWS = "bench.workflows:workflows"
_ENVIRONMENT = {"WORKFLOW_LOG_LEVEL": "warning"}


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


@asynccontextmanager
async def service(url: str, *options: str) -> AsyncGenerator[Server]:
    """Serve the benches' workflows on a database."""
    async with _command("serve", url, *options) as (process, port):
        yield Server(process, port)


@asynccontextmanager
async def worker(url: str) -> AsyncGenerator[Running]:
    """Run the benches' workflows on a database, without the API."""
    async with _command("worker", url) as (process, _):
        yield process


@asynccontextmanager
async def bare() -> AsyncGenerator[Server]:
    """Serve the yardstick."""
    port = free_port()
    async with running("-m", "bench.bare", str(port), env=_ENVIRONMENT) as process:
        await _answers(process, f"http://127.0.0.1:{port}/graphql?query=%7B__typename%7D")
        yield Server(process, port)


@asynccontextmanager
async def _command(verb: str, url: str, *options: str) -> AsyncGenerator[tuple[Running, int]]:
    port = free_port()
    command = ("-m", "service.cli", verb, _WORKFLOWS, "--database", url, "--port", str(port))
    async with running(*command, *options, env=_ENVIRONMENT) as process:
        await _answers(process, f"http://127.0.0.1:{port}/ready")
        yield process, port


async def _answers(process: Running, url: str) -> None:
    """Return when it answers well; raise when it doesn't within 20 seconds, or has ended."""
    end = time.perf_counter() + 20
    async with httpx.AsyncClient() as client:
        while process.process.returncode is None and time.perf_counter() < end:
            try:
                if (await client.get(url)).is_success:
                    return
            except httpx.TransportError:
                pass
            await asyncio.sleep(0.05)
    raise RuntimeError(f"Nothing answered at {url}: see its complaint above.")
