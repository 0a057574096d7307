import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.canonical import canonical, digest

leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
values = st.recursive(
    leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=15
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1.0, "a": [True, None]}, '{"a":[true,null],"b":1}'),
        (-0.0, "0"),
        (1e22, "10000000000000000000000"),
        (0.5, "0.5"),
        ([1.5, 2.0], "[1.5,2]"),
        ("1.0", '"1.0"'),
        ("é", '"é"'),
    ],
)
def test_equal_values_have_one_text(value: object, text: str) -> None:
    assert canonical(value) == text


@given(values)
def test_it_is_json_of_an_equal_value(value: object) -> None:
    assert json.loads(canonical(value)) == value


@given(st.dictionaries(st.text(), values), st.randoms())
def test_the_order_of_keys_and_the_form_of_numbers_do_not_matter(
    value: dict[str, Any], random: Any
) -> None:
    shuffled = list(value.items())
    random.shuffle(shuffled)
    other = {
        key: float(part) if isinstance(part, int) and not isinstance(part, bool) else part
        for key, part in shuffled
    }
    assert digest(other) == digest(value)


@given(values, values)
def test_other_values_have_other_digests(value: object, other: object) -> None:
    assert (digest(value) == digest(other)) == (canonical(value) == canonical(other))


@pytest.mark.parametrize(
    ("value", "other"), [(1, True), (0, False), (0, None), ("1", 1), ([], {}), ({"a": None}, {})]
)
def test_json_tells_apart_what_python_does_not(value: object, other: object) -> None:
    assert digest(value) != digest(other)


@pytest.mark.parametrize("value", [object(), {1}, b"a", math.nan, {"a": math.inf}])
def test_what_is_no_json_data_has_no_canonical_form(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        canonical(value)
