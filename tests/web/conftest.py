"""A real server on a real file, for each test that asks for one."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.web.running import Running, running

Serve = Callable[..., Running]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts servers with the settings that a test gives; they end with the test."""
    with ExitStack() as stack:

        def start(*, worker: bool = False, **settings: Any) -> Running:
            database = settings.pop("database", f"sqlite:///{tmp_path / 'wf.db'}")
            return stack.enter_context(running(worker=worker, database=database, **settings))

        yield start


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One server for a file's tests. It runs nothing, so that what is enqueued stays PENDING."""
    database = f"sqlite:///{tmp_path_factory.mktemp('web') / 'wf.db'}"
    with running(worker=False, database=database) as started:
        yield started
