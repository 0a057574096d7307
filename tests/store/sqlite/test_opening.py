from pathlib import Path

import pytest

from service.domain.errors import Unavailable
from service.store.opening import open_database
from tests.clock import FakeClock
from tests.services import Place


async def test_the_file_is_made_when_it_is_first_opened(place: Place) -> None:
    assert not place.path.exists()
    async with place.process() as process:
        assert await process.store.instances.get("i") is None
    assert place.path.exists()


async def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="No such file") as caught:
        await open_database(f"sqlite:///{tmp_path}/none/wf.db", busy_timeout=1, clock=FakeClock())
    assert not caught.value.maybe_applied


async def test_a_file_that_is_no_database_is_said_and_left_as_it_is(place: Place) -> None:
    place.path.write_text("This is not a database, but a letter. " * 100)
    before = place.path.read_bytes()
    with pytest.raises(Unavailable, match="not an SQLite database"):
        await place.open()
    assert place.path.read_bytes() == before


async def test_a_folder_in_the_place_of_the_file_is_said(place: Place) -> None:
    place.path.mkdir()
    with pytest.raises(Unavailable, match="can't be opened"):
        await place.open()
