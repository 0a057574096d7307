import asyncio

import pytest

from service.domain import cursor
from service.domain.errors import InvalidCursor, InvalidParams
from service.domain.interest import EVERYTHING
from service.emitter import Emitter
from service.operations.events import Events
from service.operations.page import Window
from tests.emitter.making import event
from tests.operations.listlog import ListLog


def reading(count: int) -> Events:
    log, emitter = ListLog(), Emitter()
    emitter.feed(log.commit(event(0, f"i{n % 3}") for n in range(count)))
    return Events(log, emitter)


async def test_pages_go_through_the_events_of_one_instance() -> None:
    events = reading(30)
    got: list[int] = []
    after: str | None = None
    for has_next in (True, True, False):
        page = await events.page("i1", Window(first=4, after=after))
        got += [each.position for each in page.nodes]
        assert page.has_next is has_next
        after = page.edges[-1].cursor
    assert got == [2 + 3 * n for n in range(10)]


async def test_the_cursor_of_a_page_can_be_followed() -> None:
    events = reading(6)
    page = await events.page("i0", Window(first=1))
    stream = events.follow(EVERYTHING, page.edges[-1].cursor)
    got = [(await asyncio.wait_for(anext(stream), 5)).position for _ in range(5)]
    assert got == [2, 3, 4, 5, 6]
    await stream.aclose()


@pytest.mark.parametrize("window", [Window(last=3), Window(before="x")])
async def test_it_goes_forward_only(window: Window) -> None:
    with pytest.raises(InvalidParams, match="forward only"):
        await reading(3).page("i0", window)


async def test_a_cursor_of_another_list_is_refused() -> None:
    with pytest.raises(InvalidCursor):
        await reading(3).page("i0", Window(after=cursor.encode_key(1, "a")))
