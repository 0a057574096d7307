"""A real server in a process of its own, on a port that is free and a database of its own."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx

ROOT = Path(__file__).parents[2]
FLOWS = "tests.cli.flows"
QUICK = {
    "WORKFLOW_GRACE": "2s",
    "WORKFLOW_LEASE": "2s",
    "WORKFLOW_HEARTBEAT": "0.5s",
    "WORKFLOW_TICK": "0.2s",
    "WORKFLOW_BLOCKED_AFTER": "0.5s",
}


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "service.cli", *words]


class Server:
    """The process; its stderr goes to a file."""

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
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.address}/graphql"

    @property
    def told(self) -> str:
        """Return what it wrote to stderr so far."""
        return self.log.read_text()

    def ready(self, within: float = 15) -> "Server":
        """Wait until it answers that it is ready."""
        end = time.monotonic() + within
        while time.monotonic() < end:
            assert self.process.poll() is None, self.told
            try:
                if httpx.get(f"{self.address}/ready", timeout=1).status_code == 200:
                    return self
            except httpx.TransportError:
                pass
            time.sleep(0.05)
        raise AssertionError(f"not ready in {within} s: {self.told}")

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def ended(self, within: float = 3) -> int:
        """Wait for its end, and return its exit status."""
        return self.process.wait(timeout=within)

    def stop(self, within: float = 3) -> int:
        self.signal(signal.SIGTERM)
        return self.ended(within)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
