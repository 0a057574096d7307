"""Types that an author would write, and values of them."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass
class Item:
    sku: str
    cents: int


@dataclass
class Order:
    id: str
    items: list[Item]
    due: datetime | None = None
    tags: set[str] = field(default_factory=set)


@dataclass(eq=False)
class Uncomparable:
    values: list[float]
    inner: Item | None = None


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value
