from datetime import UTC, datetime

import pytest

from service.domain.clock import to_instant
from service.graphql.scalars import read_instant, show_instant, show_json


def test_an_instant_is_shown_in_utc_with_microseconds() -> None:
    moment = datetime(2030, 1, 31, 12, 0, 0, 5, tzinfo=UTC)
    assert show_instant(to_instant(moment)) == "2030-01-31T12:00:00.000005Z"


@pytest.mark.parametrize("instant", [0, -1, 1, to_instant(datetime(9999, 12, 31, tzinfo=UTC))])
def test_an_instant_comes_back_exactly(instant: int) -> None:
    assert read_instant(show_instant(instant)) == instant


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2030-01-01T12:00:00+05:30", "2030-01-01T06:30:00.000000Z"),
        ("2030-01-01T12:00:00-05:00", "2030-01-01T17:00:00.000000Z"),
        ("2030-01-01T12:00:00Z", "2030-01-01T12:00:00.000000Z"),
        ("2030-01-01T12:00:00.1234567Z", "2030-01-01T12:00:00.123456Z"),
    ],
)
def test_any_offset_is_understood(text: str, same: str) -> None:
    assert show_instant(read_instant(text)) == same


@pytest.mark.parametrize("value", ["2030-01-01T12:00:00", "2030-01-01", "noon", "", 5, None, True])
def test_what_names_no_instant_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"offset|DateTime|isoformat"):
        read_instant(value)


def test_json_text_is_shown_as_its_value() -> None:
    assert show_json('{"a":[1,2.5,null,"é"]}') == {"a": [1, 2.5, None, "é"]}
