from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.flows import FLOWS
from tests.processes import Process
from tests.services import blank, lent, url

__all__ = ["blank", "url"]

Start = Callable[..., Process]


@pytest.fixture
def start(tmp_path: Path, url: str) -> Iterator[Start]:
    """Start servers in one folder, on one database; what still runs at the end is killed."""
    servers: list[Process] = []

    def run(*words: str, port: int | None = None, **env: str) -> Process:
        env = {"WORKFLOW_DATABASE": url, **env}
        server = Process(tmp_path, *(words or ("serve", FLOWS)), port=port, **env)
        servers.append(server)
        return server

    yield run
    for server in servers:
        server.kill()


@pytest.fixture(scope="module")
def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, dialect: str
) -> Iterator[Process]:
    """One server for tests that only ask."""
    folder = tmp_path_factory.mktemp("running")
    with lent(request, dialect) as url:
        server = Process(folder, "serve", FLOWS, WORKFLOW_DATABASE=url).ready()
        yield server
        server.kill()
