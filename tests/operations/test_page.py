import pytest

from service.domain.errors import InvalidParams, LimitExceeded
from service.operations.page import Window, page_of

ROWS = list(range(10))


class TestWindow:
    def test_fifty_rows_unless_said_otherwise(self) -> None:
        assert Window().size == 50
        assert Window(after="c").size == 50

    def test_what_is_asked_for_is_given(self) -> None:
        assert (Window(first=3).size, Window(first=3).backward) == (3, False)
        assert (Window(last=4, before="c").size, Window(last=4).backward) == (4, True)
        assert Window(first=0).size == 0
        assert Window(first=500).size == 500

    @pytest.mark.parametrize(("first", "last"), [(-1, None), (None, -1), (1, 1)])
    def test_a_size_that_makes_no_sense_is_refused(
        self, first: int | None, last: int | None
    ) -> None:
        with pytest.raises(InvalidParams):
            Window(first=first, last=last)

    @pytest.mark.parametrize("size", [501, 2**31 - 1])
    def test_too_many_are_refused_with_the_limit(self, size: int) -> None:
        with pytest.raises(LimitExceeded, match=r"`first`.*at most 500.*`after`"):
            Window(first=size)
        with pytest.raises(LimitExceeded, match=r"`last`.*at most 500.*`before`"):
            Window(last=size)

    def test_an_empty_cursor_is_none(self) -> None:
        assert Window(after="", before="") == Window()


class TestPageOf:
    def test_one_more_than_asked_tells_of_a_next_page(self) -> None:
        page = page_of(Window(first=3), ROWS[:4], str)
        assert page.nodes == [0, 1, 2]
        assert [edge.cursor for edge in page.edges] == ["0", "1", "2"]
        assert (page.has_next, page.has_previous) == (True, False)

    def test_the_last_page_has_no_next(self) -> None:
        page = page_of(Window(first=3, after="6"), ROWS[7:], str)
        assert page.nodes == [7, 8, 9]
        assert (page.has_next, page.has_previous) == (False, True)

    def test_from_the_end_the_one_more_stands_first(self) -> None:
        page = page_of(Window(last=3), ROWS[6:], str)
        assert page.nodes == [7, 8, 9]
        assert (page.has_next, page.has_previous) == (False, True)

    def test_the_first_page_from_the_end_has_no_previous(self) -> None:
        page = page_of(Window(last=3, before="2"), ROWS[:2], str)
        assert page.nodes == [0, 1]
        assert (page.has_next, page.has_previous) == (True, False)

    @pytest.mark.parametrize("window", [Window(first=0), Window(last=0)])
    def test_a_page_of_none_still_tells_whether_there_is_more(self, window: Window) -> None:
        page = page_of(window, [5], str, cursor="head")
        assert page.nodes == []
        assert page.has_previous if window.backward else page.has_next
        assert page.cursor == "head"
