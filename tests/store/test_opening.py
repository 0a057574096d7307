import pytest

from service.store.opening import open_database
from tests.clock import FakeClock
from tests.services import Place
from tests.store.making import enqueue


async def test_what_was_written_is_there_when_it_is_opened_again(place: Place) -> None:
    async with place.process() as process:
        placed = await enqueue(process)
    async with place.process() as process:
        found = await process.store.instances.get(placed.instance.id)
        assert found is not None
        assert found.cursor == placed.cursor


@pytest.mark.parametrize("url", ["", "wf.db", "sqlite://", "sqlite:///", "mysql://h/wf"])
async def test_a_url_of_no_database_is_refused_with_those_that_are(url: str) -> None:
    with pytest.raises(ValueError, match=r"sqlite:///.*postgresql://"):
        await open_database(url, busy_timeout=1, clock=FakeClock())
