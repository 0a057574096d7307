"""What every test stands on: an environment without settings, and one profile of hypothesis."""

import os
from collections.abc import Generator

import pytest
from hypothesis import settings

from service.settings import PREFIX, TEST_PREFIX
from tests.postgres.databases import Databases
from tests.postgres.judging import prepare
from tests.postgres.server import Server, found_server
from tests.services import DATABASES

for name in list(os.environ):
    if name.upper().startswith(PREFIX) and not name.startswith(TEST_PREFIX):
        del os.environ[name]


@pytest.fixture(scope="module", params=DATABASES)
def dialect(request: pytest.FixtureRequest) -> str:
    """The kind of database that a test runs on: once on each."""
    return request.param


@pytest.fixture(scope="session")
def postgres_server() -> Generator[Server]:
    """The server that every test on PostgreSQL uses."""
    with found_server() as found:
        yield found


@pytest.fixture(scope="session")
def postgres_databases(postgres_server: Server) -> Generator[Databases]:
    """Databases of that server, migrated, one for each test."""
    with Databases(postgres_server.url, prepare) as databases:
        yield databases


settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")
