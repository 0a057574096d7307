"""A process under measurement: its CPU time, its memory, and its end."""

import asyncio
import os
import socket
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Running:
    """A process that runs; read through /proc, so on Linux only."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self._proc = Path("/proc") / str(process.pid)

    @property
    def cpu_seconds(self) -> float:
        """Return the CPU time of all its threads so far, to the nanosecond."""
        stats = [path.read_text() for path in self._proc.glob("task/*/schedstat")]
        return sum(int(stat.split()[0]) for stat in stats) / 1e9

    @property
    def memory(self) -> int:
        """Return its resident memory in bytes."""
        return int((self._proc / "statm").read_text().split()[1]) * _PAGE

    async def stop(self) -> None:
        """End it, gently first."""
        if self.process.returncode is not None:
            return
        self.process.terminate()
        try:
            await asyncio.wait_for(self.process.wait(), 15)
        except TimeoutError:
            self.process.kill()
            await self.process.wait()


@asynccontextmanager
async def running(*arguments: str, env: dict[str, str] | None = None) -> AsyncGenerator[Running]:
    """Run this Python with the arguments for as long as the block lasts."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=ROOT, env={**os.environ, **(env or {})}
    )
    held = Running(process)
    try:
        yield held
    finally:
        await held.stop()


async def output_of(
    python: str | Path, arguments: Sequence[str], *, within: float, given: str = ""
) -> str:
    """Return what a process printed; raise when it failed, with what it complained of.

    It reads `given` on its standard input, and is killed when it takes over `within` seconds.
    """
    process = await asyncio.create_subprocess_exec(
        str(python),
        *arguments,
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, complaint = await asyncio.wait_for(process.communicate(given.encode()), within)
    except TimeoutError:
        process.kill()
        await process.wait()
        raise
    if process.returncode:
        raise RuntimeError(f"{' '.join(arguments)} failed: {complaint.decode()[-2000:]}")
    return out.decode()


def free_port() -> int:
    """Return a port that nothing listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
