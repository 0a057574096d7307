from collections.abc import Callable
from datetime import UTC, date, timedelta
from decimal import Decimal
from enum import StrEnum
from types import GenericAlias
from typing import Any, NotRequired
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, JsonValue, PrivateAttr
from typing_extensions import TypedDict

from service.domain.errors import DefinitionError, PayloadTooLarge
from service.domain.limits import DEPTH, SAFE_INTEGER
from service.domain.payload import Codec, check_size
from tests.domain.shapes import Item, Order, Uncomparable, nested


class Colour(StrEnum):
    RED = "red"


class Address(TypedDict):
    street: str
    number: NotRequired[int]


class Person(BaseModel):
    name: str = Field(alias="fullName")
    born: date
    _seen: object = PrivateAttr(default_factory=object)


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
leaves = (
    st.none()
    | st.booleans()
    | st.integers(-SAFE_INTEGER, SAFE_INTEGER)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
json_values = st.recursive(
    leaves, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=20
)
anything = Codec[Any](Any)
orders = Codec[Order](Order)


@given(json_values)
def test_any_json_value_round_trips_exactly(value: object) -> None:
    text = anything.encode(value)
    assert anything.decode(text) == value
    assert anything.encode(anything.decode(text)) == text
    assert anything.validate(value) == value


@given(
    st.builds(
        Order,
        id=texts,
        items=st.lists(st.builds(Item, texts, st.integers(-SAFE_INTEGER, SAFE_INTEGER))),
        due=st.none() | st.datetimes(timezones=st.just(UTC)),
        tags=st.sets(texts),
    )
)
def test_typed_values_round_trip_exactly(order: Order) -> None:
    assert orders.decode(orders.encode(order)) == order
    assert orders.validate(order) == order


@pytest.mark.parametrize(
    ("annotation", "value", "text"),
    [
        (None, None, "null"),
        (type(None), None, "null"),
        (int, 5, "5"),
        (int | None, None, "null"),
        (float, 1e308, "1e+308"),
        (float, -0.0, "-0.0"),
        (str, "12345678901234567890", '"12345678901234567890"'),
        (str, r"\u0000 \ud800 NaN e000", r'"\\u0000 \\ud800 NaN e000"'),
        (object, 1, "1"),
        (Any, {"a": [1, 2.5, None, True]}, '{"a":[1,2.5,null,true]}'),
        (dict, {"b": 1, "a": 2}, '{"b":1,"a":2}'),
        (list, [1, "é"], '[1,"é"]'),
        (JsonValue, {"a": [1]}, '{"a":[1]}'),
        (set[int], {1}, "[1]"),
        (tuple[int, str], (1, "a"), '[1,"a"]'),
        (dict[int, str], {1: "a"}, '{"1":"a"}'),
        (bytes, b"abc", '"abc"'),
        (Decimal, Decimal("1.10"), '"1.10"'),
        (timedelta, timedelta(microseconds=1), '"PT0.000001S"'),
        (UUID, UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
        (Colour, Colour.RED, '"red"'),
        (Address, {"street": "Long"}, '{"street":"Long"}'),
        (list[Item], [Item("a", 1)], '[{"sku":"a","cents":1}]'),
    ],
)
def test_annotations_of_every_kind_work(annotation: object, value: object, text: str) -> None:
    codec = Codec[Any](annotation)
    assert codec.encode(value) == text
    assert codec.decode(text) == value
    assert codec.validate(value) == value
    assert isinstance(codec.json_schema(), dict)


def test_a_model_goes_by_its_aliases_and_keeps_its_private_parts_out() -> None:
    codec = Codec[Person](Person)
    person = codec.validate({"fullName": "Ada", "born": "1815-12-10"})
    assert codec.encode(person) == '{"fullName":"Ada","born":"1815-12-10"}'
    assert codec.decode(codec.encode(person)).name == "Ada"


def test_values_that_do_not_compare_themselves_are_compared_by_their_data() -> None:
    codec = Codec[Uncomparable](Uncomparable)
    text = codec.encode(Uncomparable([0.1], Item("a", 1)))
    assert text == '{"values":[0.1],"inner":{"sku":"a","cents":1}}'


@pytest.mark.parametrize("value", [SAFE_INTEGER, -SAFE_INTEGER, nested(DEPTH), 1e300, "😀\n\x01"])
def test_the_limits_themselves_are_kept(value: object) -> None:
    assert anything.decode(anything.encode(anything.validate(value))) == value


def test_many_brackets_that_lie_side_by_side_are_not_deep() -> None:
    value = [[[]]] * 1000
    assert anything.decode(anything.encode(value)) == value
    assert anything.decode(anything.encode("[" * 1000)) == "[" * 1000


@pytest.mark.parametrize(
    "annotation",
    [Callable[[], int], 5, "Missing", type("Plain", (), {}), GenericAlias(list, ("Missing",))],
)
def test_an_annotation_without_a_json_form_is_refused(annotation: object) -> None:
    with pytest.raises(DefinitionError, match=r"The input of x is .*no JSON form.*Use a dataclass"):
        Codec[Any](annotation, "The input of x")


def test_sizes_are_bytes_of_utf8() -> None:
    check_size("é" * 5, "params", 10)
    check_size("a" * 10, "params", 10)
    with pytest.raises(PayloadTooLarge, match=r"params is 12 bytes of JSON, above the limit of 10"):
        check_size("é" * 6, "params", 10)
