from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import Crew, Process
from tests.scenarios.notes import Notes


@pytest.fixture
def crew(tmp_path: Path) -> Iterator[Crew]:
    """Start processes on a database of the test's own."""
    crew = Crew(tmp_path)
    yield crew
    crew.end()


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    """Read what the handlers of one test wrote down."""
    return Notes(tmp_path / "notes")


@pytest.fixture(scope="module")
def module_crew(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crew]:
    """Start processes that all tests of a module share."""
    crew = Crew(tmp_path_factory.mktemp("crew"))
    yield crew
    crew.end()


@pytest.fixture(scope="module")
def server(module_crew: Crew) -> Process:
    """One server for all tests of a module that leave it running."""
    server = module_crew.serve()
    module_crew.ready()
    return server
