"""What a scenario stands on: a database, the processes on it, and what its handlers write down.

`database` is an SQLite file and then a PostgreSQL database, and so is that of `crew`; a scenario in
which the database plays no part asks for `sqlite_database` or `sqlite_crew`, one that only
PostgreSQL can play for `postgres_database` or `postgres_crew`.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clock import FakeClock
from tests.postgres.cluster import Cluster
from tests.postgres.fixtures import cluster, clusters, proxy_to
from tests.postgres.judging import Judge
from tests.postgres.proxy import Proxy
from tests.postgres.server import Server
from tests.processes import Crew, Process
from tests.scenarios.aftermath import Aftermath, kill_and_start
from tests.scenarios.lending import lent, manned
from tests.scenarios.notes import Notes
from tests.scenarios.raw import is_sqlite
from tests.scenarios.supervised import Survived, supervise
from tests.services import DATABASES

__all__ = ["cluster", "clusters"]


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database of the test's own."""
    with lent(request, request.param, tmp_path) as url:
        yield url


@pytest.fixture
def sqlite_database(tmp_path: Path) -> str:
    """The URL of an SQLite file of the test's own."""
    return f"sqlite:///{tmp_path}/wf.db"


@pytest.fixture
def postgres_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a PostgreSQL database of the test's own."""
    with lent(request, "postgres", tmp_path) as url:
        yield url


@pytest.fixture
def clock(database: str) -> Iterator[FakeClock]:
    """The clock that judges in `database`, which moves when the test moves it."""
    clock = FakeClock()
    if is_sqlite(database):
        yield clock
        return
    with Judge(database, clock.now()) as judge:
        clock.on_move.append(judge.set)
        yield clock


@pytest.fixture
def crew(tmp_path: Path, database: str) -> Iterator[Crew]:
    """Start processes on a database of the test's own."""
    with manned(tmp_path, database) as crew:
        yield crew


@pytest.fixture
def sqlite_crew(tmp_path: Path, sqlite_database: str) -> Iterator[Crew]:
    """Start processes on an SQLite file of the test's own."""
    with manned(tmp_path, sqlite_database) as crew:
        yield crew


@pytest.fixture
def postgres_crew(tmp_path: Path, postgres_database: str) -> Iterator[Crew]:
    """Start processes on a PostgreSQL database of the test's own."""
    with manned(tmp_path, postgres_database) as crew:
        yield crew


@pytest.fixture
def proxy(postgres_server: Server) -> Iterator[Proxy]:
    """A proxy before the server that `postgres_database` is on."""
    with proxy_to(postgres_server.url) as proxy:
        yield proxy


@pytest.fixture
def cluster_crew(tmp_path: Path, cluster: Cluster) -> Iterator[Crew]:
    """Start processes on a cluster of the test's own."""
    with manned(tmp_path, cluster.url()) as crew:
        yield crew


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    """Read what the handlers of one test wrote down."""
    return Notes(tmp_path / "notes")


@pytest.fixture(scope="module", params=DATABASES)
def module_crew(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Crew]:
    """Start processes that all tests of a module share."""
    folder = tmp_path_factory.mktemp("crew")
    with lent(request, request.param, folder) as url, manned(folder, url) as crew:
        yield crew


@pytest.fixture(scope="module")
def sqlite_module_crew(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crew]:
    """Start processes on an SQLite file that all tests of a module share."""
    folder = tmp_path_factory.mktemp("crew")
    with manned(folder, f"sqlite:///{folder}/wf.db") as crew:
        yield crew


@pytest.fixture(scope="module")
def server(module_crew: Crew) -> Process:
    """One server for all tests of a module that leave it running."""
    server = module_crew.serve()
    module_crew.ready()
    return server


@pytest.fixture(scope="session", params=DATABASES)
def aftermath(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Aftermath]:
    """What is left when one worker was killed and another one started."""
    folder = tmp_path_factory.mktemp("aftermath")
    with lent(request, request.param, folder) as url, manned(folder, url) as crew:
        yield kill_and_start(crew, Notes(folder / "notes"))


@pytest.fixture(scope="session", params=DATABASES)
def survived(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Survived]:
    """What is left when workflows killed their worker again and again."""
    folder = tmp_path_factory.mktemp("survived")
    with lent(request, request.param, folder) as url, manned(folder, url) as crew:
        yield supervise(crew, Notes(folder / "notes"))
