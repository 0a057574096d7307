"""Steers a crowd of subscribers in another process."""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

from bench.process import ROOT


class Crowd:
    """Subscribers that are connected, all to one stream."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def line(self) -> str:
        """Return what the crowd says next."""
        assert self._process.stdout is not None
        said = await asyncio.wait_for(self._process.stdout.readline(), 120)
        if not said:
            raise RuntimeError("The subscribers have gone: see their complaint above.")
        return said.decode().strip()

    async def leave(self) -> None:
        """Disconnect them."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        await asyncio.wait_for(self._process.wait(), 30)


@asynccontextmanager
async def crowd(
    port: int, body: Mapping[str, object], *, size: int, events: int = 0
) -> AsyncGenerator[Crowd]:
    """Connect a crowd for as long as the block lasts; each member expects that many events."""
    arguments = ("-m", "bench.ws_load", str(port), str(size), str(events))
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *arguments,
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(body).encode() + b"\n")
    people = Crowd(process)
    try:
        await people.line()
        yield people
    finally:
        if process.returncode is None:
            await people.leave()
