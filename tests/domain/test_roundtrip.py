from dataclasses import dataclass
from typing import Any

import pytest

from service.domain.roundtrip import difference, same


@dataclass(eq=False)
class Point:
    x: Any
    y: Any


class Odd:
    def __eq__(self, other: object) -> bool:
        raise RuntimeError("incomparable")

    __hash__ = None  # pyright: ignore[reportAssignmentType]


@pytest.mark.parametrize(
    ("value", "back", "path"),
    [
        ([1, {"a": 2}], [1, {"a": 3}], (1, "a")),
        ({"a": (1,)}, {"a": [1]}, ("a",)),
        ({1: 2}, {"1": 2}, ()),
        ([1], [1, 2], ()),
        ({1, 2}, {1, 3}, ()),
        (Point(1, [2]), Point(1, [3]), ("y", 0)),
        ({"a": Odd()}, {"a": Odd()}, ("a",)),
    ],
)
def test_the_first_difference_is_found(value: object, back: object, path: tuple[Any, ...]) -> None:
    fault = difference(value, back)
    assert fault is not None
    assert fault.path == path


def test_equal_data_is_no_difference() -> None:
    assert difference(Point(1, Point(2, "a")), Point(1, Point(2, "a"))) is None
    assert difference({"b": 1, "a": Point(1, 2)}, {"a": Point(1, 2), "b": 1}) is None
    assert not same(Odd(), Odd())
