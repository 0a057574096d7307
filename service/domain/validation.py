"""pydantic's findings, told as faults with a path into the value that was given."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from pydantic import ValidationError
from pydantic_core import from_json

from service.domain.errors import Fault, PathPart
from service.domain.limits import FAULTS
from service.domain.plain import path_part, printable

_ABSENT = object()
_LEAVES: tuple[type[object], ...] = (str, int, float, type(None))
_NAMES_A_MEMBER = frozenset({"missing", "missing_argument", "missing_keyword_only_argument"})


def faults_of(error: ValidationError, given: object) -> list[Fault]:
    """Return the error's faults, at most 100 of them, as paths into `given`."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    faults = [
        Fault(
            tuple(_path(entry["loc"], given, keep_last=entry["type"] in _NAMES_A_MEMBER)),
            printable(entry["msg"]),
        )
        for entry in found[:FAULTS]
    ]
    if len(found) > FAULTS:
        faults.append(Fault((), f"and {len(found) - FAULTS:,} more faults"))
    return faults


def readable(data: bytes) -> object:
    """Return the value of a JSON text, or None when it is not JSON."""
    try:
        return from_json(data)
    except ValueError:
        return None


def _path(location: Sequence[int | str], given: object, *, keep_last: bool) -> Iterator[PathPart]:
    """Yield the parts that lead into the value: not those that name a member of a union."""
    here = given
    for position, part in enumerate(location):
        below = _member(here, part)
        if below is not _ABSENT:
            here = below
        elif not (keep_last and position == len(location) - 1):
            continue
        yield path_part(part)


def _member(value: object, part: int | str) -> object:
    if isinstance(value, Mapping):
        mapping = cast("Mapping[object, object]", value)
        return mapping.get(part, _ABSENT)
    if isinstance(value, list | tuple):
        items = cast("Sequence[object]", value)
        return items[part] if isinstance(part, int) and part < len(items) else _ABSENT
    if isinstance(part, str) and not isinstance(value, _LEAVES):
        return getattr(value, part, _ABSENT)
    return _ABSENT
