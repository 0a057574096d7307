from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Literal

import pytest
from pydantic import BaseModel, TypeAdapter

from service.cli.banner import literal
from service.cli.example import example_of


class Colour(Enum):
    RED = "red"


@dataclass
class Inner:
    due: datetime
    tags: list[str]


@dataclass
class Outer:
    name: str
    inner: Inner
    colour: Colour
    kind: Literal["a", "b"]
    number: int | None
    size: float
    sure: bool
    note: str = "none"
    more: dict[str, int] = field(default_factory=dict[str, int])


class Tree(BaseModel):
    left: "Tree | None"
    label: str


@pytest.mark.parametrize("kind", [Outer, Tree, str, int, list[int], dict[str, int], bool | None])
def test_an_example_fits_its_type(kind: type) -> None:
    adapter = TypeAdapter(kind)
    adapter.validate_python(example_of(adapter.json_schema()))


def test_an_example_has_only_what_is_needed() -> None:
    example = example_of(TypeAdapter(Outer).json_schema())
    assert example["name"] == "name"
    assert "note" not in example


def test_is_written_as_graphql_does() -> None:
    assert literal({"a": [1, "x", None, {"b": True}]}) == '{a: [1, "x", null, {b: true}]}'
