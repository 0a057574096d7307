"""Where a copy goes to: on each database, for a source on each."""

from collections.abc import Generator

import pytest

from tests.clock import FakeClock
from tests.services import DATABASES, Place, judged, lent, renew_origin


@pytest.fixture(params=DATABASES)
def target(request: pytest.FixtureRequest, clock: FakeClock) -> Generator[Place]:
    with lent(request, request.param) as url, judged(url, clock):
        renew_origin(url)
        yield Place(url, clock)
