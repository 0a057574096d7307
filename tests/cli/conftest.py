from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.flows import FLOWS
from tests.processes import Process

Start = Callable[..., Process]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start servers in one folder, on one database; what still runs at the end is killed."""
    servers: list[Process] = []

    def run(*words: str, port: int | None = None, **env: str) -> Process:
        server = Process(tmp_path, *(words or ("serve", FLOWS)), port=port, **env)
        servers.append(server)
        return server

    yield run
    for server in servers:
        server.kill()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """One server for tests that only ask."""
    server = Process(tmp_path_factory.mktemp("running"), "serve", FLOWS).ready()
    yield server
    server.kill()
