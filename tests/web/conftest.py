"""A real server on a real database, for each test that asks for one."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from service.settings import Settings
from tests.services import lent, url
from tests.web.running import Running, running

__all__ = ["url"]

Serve = Callable[..., Running]


@pytest.fixture
def serve(url: str) -> Iterator[Serve]:
    """Starts servers with the settings that a test gives; they end with the test."""
    with ExitStack() as stack:

        def start(*, worker: bool = False, **settings: Any) -> Running:
            return stack.enter_context(running(worker=worker, database=url, **settings))

        yield start


@pytest.fixture(scope="module")
def server(request: pytest.FixtureRequest, dialect: str) -> Iterator[Running]:
    """One server for a file's tests. It runs nothing, so that what is enqueued stays PENDING."""
    with lent(request, dialect) as url, running(worker=False, database=url) as started:
        yield started


@pytest.fixture
def settings(url: str) -> Settings:
    """What somebody who opens the application on their own gives it."""
    return Settings.read(database=url)
