from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import Crew, Process
from tests.scenarios.aftermath import Aftermath, kill_and_start
from tests.scenarios.notes import Notes
from tests.scenarios.supervised import Survived, supervise


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


@pytest.fixture(scope="session")
def aftermath(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aftermath]:
    """What is left when one worker was killed and another one started."""
    folder = tmp_path_factory.mktemp("aftermath")
    crew = Crew(folder)
    try:
        yield kill_and_start(crew, Notes(folder / "notes"))
    finally:
        crew.end()


@pytest.fixture(scope="session")
def survived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Survived]:
    """What is left when workflows killed their worker again and again."""
    folder = tmp_path_factory.mktemp("survived")
    crew = Crew(folder)
    try:
        yield supervise(crew, Notes(folder / "notes"))
    finally:
        crew.end()
