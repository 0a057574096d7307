from datetime import timedelta

import pytest

from service.domain.checks import check_count, check_span, is_whole
from service.domain.errors import DefinitionError
from service.domain.limits import LONGEST_SPAN


def test_whole_numbers_are_neither_truths_nor_floats() -> None:
    assert is_whole(0, 0, 1)
    assert not is_whole(True, 0, 1)
    assert not is_whole(1.0, 0, 1)
    assert not is_whole(2, 0, 1)


def test_a_count_says_what_it_may_be() -> None:
    check_count(5, "The cap", high=5)
    with pytest.raises(DefinitionError, match="The cap is 6: give a whole number from 1 to 5"):
        check_count(6, "The cap", high=5)


def test_a_huge_value_is_not_repeated_in_full() -> None:
    with pytest.raises(DefinitionError) as caught:
        check_count("x" * 10_000, "The cap")
    assert len(str(caught.value)) < 300


def test_a_span_is_above_zero_and_not_longer_than_calendars() -> None:
    check_span(LONGEST_SPAN, "The timeout")
    for value in (timedelta(0), timedelta(-1), timedelta.max, 5, None):
        with pytest.raises(DefinitionError, match=r"The timeout is .*: give a timedelta"):
            check_span(value, "The timeout")
