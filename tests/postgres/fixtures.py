"""Fixtures on a real PostgreSQL, to be imported by a conftest.

`databases` hands out empty databases here; a suite of the service has one of its own, with what
migrates them: `Databases(server.url, prepare)`.
"""

from collections.abc import Generator
from urllib.parse import urlsplit

import pytest

from tests.postgres.cluster import Cluster
from tests.postgres.clusters import Clusters
from tests.postgres.databases import Databases
from tests.postgres.proxy import Proxy
from tests.postgres.server import Server, found_server


@pytest.fixture(scope="session")
def server() -> Generator[Server]:
    with found_server() as found:
        yield found


@pytest.fixture(scope="session")
def databases(server: Server) -> Generator[Databases]:
    with Databases(server.url) as handed:
        yield handed


@pytest.fixture
def database(databases: Databases) -> Generator[str]:
    """The URL of a database of the test's own."""
    url = databases.fresh()
    yield url
    databases.release(url)


@pytest.fixture
def proxy(server: Server) -> Generator[Proxy]:
    """A proxy before the server of the tests."""
    with proxy_to(server.url) as proxy:
        yield proxy


@pytest.fixture(scope="session")
def clusters() -> Generator[Clusters]:
    with Clusters() as made:
        yield made


@pytest.fixture
def cluster(clusters: Clusters) -> Generator[Cluster]:
    """A cluster of the test's own, for outages."""
    with clusters.one() as cluster:
        yield cluster


def proxy_to(url: str) -> Proxy:
    """Return a proxy before the server of a URL."""
    target = urlsplit(url)
    assert target.hostname is not None, url
    return Proxy(target.hostname, target.port or 5432)
