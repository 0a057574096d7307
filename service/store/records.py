"""Rows into domain objects, each column in the order of its dataclass."""

from dataclasses import fields
from typing import Any

from service.domain.cursor import encode
from service.domain.events import Event, EventType
from service.domain.instance import Claimed, Failure, Instance, Status
from service.store.database import Row

_INSTANCE = tuple(field.name for field in fields(Instance) if field.name != "cursor")
_CLAIMED = tuple(field.name for field in fields(Claimed))
_FAILURE = tuple(field.name for field in fields(Failure))
_EVENT = tuple(field.name for field in fields(Event))
_STATUSES = {str(status): status for status in Status}
_TYPES = {str(kind): kind for kind in EventType}


def instance(row: Row, head: int | None = None, mark: int = 0) -> Instance:
    """Return the instance of a row that begins with the `instance` columns."""
    values: dict[str, Any] = dict(zip(_INSTANCE, row, strict=False))
    values["status"] = _STATUSES[values["status"]]
    values["cancel_requested"] = bool(values["cancel_requested"])
    return Instance(**values, cursor="" if head is None else encode(head, mark))


def with_cursor(row: Row) -> Instance:
    """Return the instance of a row of the `instance` columns and the log's head and its mark."""
    *columns, head, mark = row
    return instance(tuple(columns), head, mark)


def claimed(row: Row) -> Claimed:
    """Return what a worker holds, of a row of the `claimed` columns."""
    values: dict[str, Any] = dict(zip(_CLAIMED, row, strict=True))
    values["hooked"] = bool(values["hooked"])
    values["cancel_requested"] = bool(values["cancel_requested"])
    return Claimed(**values)


def event(row: Row) -> Event:
    """Return the event of a row of the `event` columns."""
    values: dict[str, Any] = dict(zip(_EVENT, row, strict=True))
    values["type"] = _TYPES[values["type"]]
    values["status"] = _STATUSES[values["status"]]
    return Event(**values)


def failure(row: Row) -> Failure:
    """Return the failed attempt of a row."""
    return Failure(**dict(zip(_FAILURE, row, strict=True)))
