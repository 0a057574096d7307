"""Real processes of the service, for tests that start, freeze, stop and kill them.

A `Crew` starts them in one folder, on one database, with short leases and ticks (`QUICK`); each is
a `Process`, on a port that is free:

    async def test_a_worker_that_dies(crew: Crew, notes: Notes) -> None:
        api, worker = crew.api(), crew.worker()        # `crew.serve()` is both in one process
        crew.ready()                                   # they start side by side; wait for all
        async with Client(api.url) as client:
            await client.enqueue("job", {"file": notes.file, "seconds": 60})
            await until(lambda: notes.words() == ["began"])
            worker.kill()                              # kill -9; `freeze` and `thaw`, `stop`

A setting is its variable: `crew.worker(WORKFLOW_LEASE="60s")`, or `crew.sets(…)` for all that are
started from then on. `authors` names another module than `tests.scenarios.authored`, `port` a port
of the test's choice. The fixtures `crew` and `notes` are in `tests/scenarios/conftest.py`.

At the end every process is killed and reaped, and what each logged is looked through: "locked", a
deadlock or a traceback fails the test, unless it said `crew.bears("words of that line")` before.
"""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

import httpx

ROOT = Path(__file__).parents[1]
AUTHORS = "tests.scenarios.authored"
FAULTS = ("database is locked", "deadlock detected", "Traceback (most recent call last)")
AUTHORS_OWN = '"logger": "workflow"'
"""Lines that tell of what an author's code raised: there a traceback is as it should be."""
QUICK = {
    "WORKFLOW_GRACE": "2s",
    "WORKFLOW_LEASE": "2s",
    "WORKFLOW_HEARTBEAT": "0.5s",
    "WORKFLOW_TICK": "0.2s",
    "WORKFLOW_BLOCKED_AFTER": "0.5s",
}


def free_port() -> int:
    """Return a port that nothing listens on at the moment."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


def command(*words: str) -> list[str]:
    """Return the command line of `workflow-service` with these words."""
    return [sys.executable, "-m", "service.cli", *words]


class Process:
    """One process that answers on a port; its stderr goes to a file."""

    def __init__(self, folder: Path, *words: str, port: int | None = None, **env: str) -> None:
        self.port = port or free_port()
        self.folder = folder
        self.log = folder / f"{words[0]}-{self.port}-{time.monotonic_ns()}.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command(*words, "--port", str(self.port)),
                cwd=folder,
                env={**os.environ, **QUICK, "PYTHONPATH": str(ROOT), **env},
                stdout=subprocess.DEVNULL,
                stderr=log,
            )

    @property
    def address(self) -> str:
        """Return where it listens."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """Return the address of its GraphQL."""
        return f"{self.address}/graphql"

    @property
    def told(self) -> str:
        """Return what it wrote to stderr so far."""
        return self.log.read_text()

    @property
    def running(self) -> bool:
        """Tell whether it has not ended."""
        return self.process.poll() is None

    def ready(self, within: float = 30) -> Self:
        """Wait until it answers that it is ready."""
        end = time.monotonic() + within
        while time.monotonic() < end:
            assert self.running, self.told
            try:
                if httpx.get(f"{self.address}/ready", timeout=1).status_code == 200:
                    return self
            except httpx.TransportError:
                pass
            time.sleep(0.05)
        raise AssertionError(f"not ready in {within} s: {self.told}")

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self.process.send_signal(number)

    def freeze(self) -> None:
        """Stop it where it is, as a machine that is suspended does."""
        self.signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        self.signal(signal.SIGCONT)

    def ended(self, within: float = 3) -> int:
        """Wait for its end, and return its exit status."""
        return self.process.wait(timeout=within)

    def stop(self, within: float = 3) -> int:
        """Ask it to end, wait for that, and return its exit status."""
        self.signal(signal.SIGTERM)
        return self.ended(within)

    def kill(self) -> None:
        """End it at once, and reap it."""
        self.process.kill()
        self.process.wait()


class Crew:
    """The processes of one test, on the database at a URL."""

    def __init__(self, folder: Path, database: str) -> None:
        self.folder = folder
        self.database = database
        self.processes: list[Process] = []
        self._env = {"WORKFLOW_DATABASE": database}
        self._borne: list[str] = []

    def sets(self, **env: str) -> None:
        """Give every process that is started from now on these variables."""
        self._env.update(env)

    def serve(self, *, authors: str = AUTHORS, port: int | None = None, **env: str) -> Process:
        """Start the API with a worker beside it."""
        return self.start("serve", authors, port=port, **env)

    def api(self, *, authors: str = AUTHORS, port: int | None = None, **env: str) -> Process:
        """Start the API alone."""
        return self.start("serve", authors, "--no-worker", port=port, **env)

    def worker(self, *, authors: str = AUTHORS, port: int | None = None, **env: str) -> Process:
        """Start a worker alone."""
        return self.start("worker", authors, port=port, **env)

    def start(self, *words: str, port: int | None = None, **env: str) -> Process:
        """Start `workflow-service` with these words; it may not be ready yet."""
        process = Process(self.folder, *words, port=port, **{**self._env, **env})
        self.processes.append(process)
        return process

    def ready(self, within: float = 30) -> None:
        """Wait until every process that has not ended answers."""
        for process in self.processes:
            if process.running:
                process.ready(within)

    def bears(self, *words: str) -> None:
        """Say that log lines with these words are right, whatever else is in them."""
        self._borne.extend(words)

    def end(self) -> None:
        """Kill and reap every process, and look through their logs."""
        for process in self.processes:
            process.kill()
        faults = [line for process in self.processes for line in self._faults(process)]
        assert not faults, "\n".join(faults)

    def _faults(self, process: Process) -> list[str]:
        return [
            f"{process.log.name}: {line}"
            for line in process.told.splitlines()
            if any(fault in line for fault in FAULTS)
            and AUTHORS_OWN not in line
            and not any(words in line for words in self._borne)
        ]


async def until(reached: Callable[[], object], within: float = 20.0) -> None:
    """Wait for what other processes do, in real time; raises TimeoutError."""
    async with asyncio.timeout(within):
        while not reached():
            await asyncio.sleep(0.01)
