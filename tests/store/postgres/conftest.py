"""What is said here of PostgreSQL holds for no other database."""

from collections.abc import Callable, Generator

import pytest

from service.store.postgres.line import Line
from service.store.postgres.link import Link
from service.store.postgres.wire import Wire
from tests.postgres.fixtures import cluster, clusters, proxy_to
from tests.postgres.proxy import Proxy
from tests.services import Place

__all__ = ["cluster", "clusters"]

PATIENCE = 5.0

Lines = Callable[..., Line]


@pytest.fixture(scope="module")
def dialect() -> str:
    return "postgres"


@pytest.fixture
def proxy(place: Place) -> Generator[Proxy]:
    """A proxy before the server of `place`."""
    with proxy_to(place.url) as proxy:
        yield proxy


@pytest.fixture
def behind(place: Place, proxy: Proxy) -> Place:
    """The database of `place`, by way of the proxy."""
    return Place(proxy.url(place.url), place.clock)


@pytest.fixture
def wire(url: str) -> Generator[Wire]:
    """A connection, set up for statements of ours."""
    wire = Link(url, PATIENCE).wire()
    yield wire
    wire.close()


@pytest.fixture
def lines() -> Generator[Lines]:
    """Makes lines, which are closed at the end."""
    made: list[Line] = []

    def make(url: str, *, busy_timeout: float = PATIENCE, pooled: bool = False) -> Line:
        made.append(Line(Link(url, busy_timeout, pooled)))
        return made[-1]

    yield make
    for line in made:
        line.close()
