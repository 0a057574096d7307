import math
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, SecretStr, model_validator

from service.domain.errors import InvalidParams
from service.domain.limits import DEPTH, FAULTS
from service.domain.payload import Codec
from tests.domain.shapes import Item, Order, Uncomparable, nested


@dataclass
class Rushed(Order):
    fee: int = 5


class Unbounded(BaseModel):
    model_config = ConfigDict(ser_json_inf_nan="constants")
    value: float


anything = Codec[Any](Any)
orders = Codec[Order](Order)


def paths(error: InvalidParams) -> list[str]:
    return [".".join(map(str, fault.path)) for fault in error.faults]


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ("a\0b", ""),
        ({"a": ["x", "\0"]}, "a.1"),
        ({"a": {"\0": 1}}, "a.\\x00"),
        ({"a": "\ud800"}, "a"),
        ({"\udfff": 1}, "\\udfff"),
        (math.nan, ""),
        ({"a": [0.5, math.inf]}, "a.1"),
        ([-math.inf], "0"),
        (2**53, ""),
        ({"items": [{"cents": -(2**53)}]}, "items.0.cents"),
        ([10**400], "0"),
        (nested(DEPTH + 1), ".".join("0" * DEPTH)),
        (nested(2000), ".".join("0" * DEPTH)),
    ],
)
def test_what_databases_and_json_readers_lose_is_refused_with_its_path(
    value: object, path: str
) -> None:
    for refuse in (anything.validate, anything.encode):
        with pytest.raises(InvalidParams) as caught:
            refuse(value)
        assert paths(caught.value) == [path]
        str(caught.value).encode()


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('"\\u0000"', ""),
        ('{"a":["\\ud800"]}', "a.0"),
        ('"\ud800"', ""),
        ('{"a": NaN}', "a"),
        ("[Infinity]", "0"),
        ("[1, 1e400]", "1"),
        ("[1E+999]", "0"),
        ("9007199254740992", ""),
        ("[ -9007199254740992 ]", "0"),
        ("9" * 5000, ""),
        ("[" * 65 + "]" * 65, ".".join("0" * DEPTH)),
        ("[" * 100_000 + "]" * 100_000, ""),
        ("", ""),
        ("{", ""),
        ("[1] 2", ""),
        ("\x00", ""),
    ],
)
def test_a_text_that_breaks_a_rule_or_is_no_json_is_refused(text: str, path: str) -> None:
    with pytest.raises(InvalidParams) as caught:
        anything.decode(text)
    assert paths(caught.value) == [path]


@pytest.mark.parametrize(
    ("annotation", "value", "path"),
    [
        (Any, {"a": {1, 2}}, "a"),
        (Any, {"a": b"abc"}, "a"),
        (Any, {"a": [1, b"\xff"]}, "a.1"),
        (Any, {"a": (1, 2)}, "a"),
        (Any, {"a": {1: 2}}, "a"),
        (Any, object(), ""),
        (Any, {"a": [object()]}, "a.0"),
        (Any, {"a": Item("a", 1)}, "a"),
        (Any, {"a": Decimal("1.5")}, "a"),
        (Any, {"a": datetime(2026, 1, 1, tzinfo=UTC)}, "a"),
        (int, "5", ""),
        (int, 1.5, ""),
        (int, None, ""),
        (float, math.nan, ""),
        (float | None, math.nan, ""),
        (bytes, b"\xff", ""),
        (Order, Order("a", [Item("a", "12")]), "items.0.cents"),  # pyright: ignore[reportArgumentType]
        (Order, Order("a", [Item("a", 2**60)]), "items.0.cents"),
        (Order, Order("a", [], tags={"\0"}), "tags.0"),
        (Order, Rushed("a", []), ""),
        (list[Order], [Order("a", []), Rushed("b", [])], "1"),
        (Order, {"id": "a", "items": []}, ""),
        (Uncomparable, Uncomparable([0.5, math.nan]), "values.1"),
        (Unbounded, Unbounded(value=math.inf), "value"),
        (Unbounded, Unbounded(value=math.nan), "value"),
        (dict[str, SecretStr], {"a": SecretStr("hidden")}, "a"),
    ],
)
def test_what_would_come_back_changed_is_refused_with_its_path(
    annotation: object, value: object, path: str
) -> None:
    with pytest.raises(InvalidParams) as caught:
        Codec[Any](annotation).encode(value)
    assert paths(caught.value) == [path]


def test_a_value_that_holds_itself_is_refused() -> None:
    value: list[object] = []
    value.append(value)
    with pytest.raises(InvalidParams, match="deeper than 64"):
        anything.encode(value)
    value.append(value)
    with pytest.raises(InvalidParams) as caught:
        anything.encode(value)
    assert len(caught.value.faults) == FAULTS


def test_a_type_that_breaks_while_it_is_read_back_is_refused() -> None:
    class Broken(BaseModel):
        value: int

        def model_post_init(self, _: object) -> None:
            if self.value == 2:
                raise KeyError("two")

    broken = Broken(value=1)
    broken.value = 2
    with pytest.raises(InvalidParams, match="can't be read back: KeyError"):
        Codec[Broken](Broken).encode(broken)


@pytest.mark.parametrize(
    ("value", "faults"),
    [
        ({"id": "a", "items": [{"sku": "a", "cents": "x"}]}, ["items.0.cents"]),
        ({"id": 1, "items": [{"sku": "a"}]}, ["id", "items.0.cents"]),
        ({"id": "a", "items": {}}, ["items"]),
        ({"items": []}, ["id"]),
        ({"id": "a", "items": [], "due": "never"}, ["due"]),
        (None, [""]),
        (5, [""]),
        (object(), [""]),
        (Item("a", 1), [""]),
    ],
)
def test_every_fault_of_a_given_value_is_told_with_its_path(
    value: object, faults: list[str]
) -> None:
    with pytest.raises(InvalidParams) as caught:
        orders.validate(value)
    assert paths(caught.value) == faults


def test_a_union_is_not_part_of_the_path() -> None:
    codec = Codec[Any](dict[str, list[int | Item]])
    with pytest.raises(InvalidParams) as caught:
        codec.validate({"a": [1, {"sku": "b"}]})
    assert set(paths(caught.value)) == {"a.1", "a.1.cents"}


def test_a_fault_can_be_told_whatever_its_author_says() -> None:
    class Strict(BaseModel):
        @model_validator(mode="before")
        @classmethod
        def refuse(cls, given: object) -> object:
            raise ValueError(f"not {getattr(given, 'sku', None)}")

    with pytest.raises(InvalidParams) as caught:
        Codec[Strict](Strict).validate(Item("\0", 1))
    assert "\\x00" in caught.value.faults[0].message
    caught.value.faults[0].message.encode()


def test_endless_faults_are_cut() -> None:
    with pytest.raises(InvalidParams) as caught:
        Codec[list[int]](list[int]).validate(["x"] * 5000)
    assert len(caught.value.faults) == FAULTS + 1
    assert caught.value.faults[-1].message == "and 4,900 more faults"
