"""What a payload may hold, so that every database and every JSON reader keeps it exactly.

Encoded payloads are tested in two steps: `suspicious` scans the text and is nearly always
enough; only then does `faults_in` walk the values, and finds where the fault is.
"""

import dataclasses
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import accumulate, islice
from typing import Any, cast

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_json

from service.domain.errors import Fault, PathPart
from service.domain.limits import DEPTH, FAULTS, SAFE_INTEGER

_FOLD = bytes.maketrans(b"123456789E", b"000000000e")
_LONG_NUMBER = b"0" * 16
_LARGE_EXPONENT = b"e000"
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_PATH_PART = 100


def suspicious(text: str, data: bytes) -> bool:
    """Return whether a JSON text, given as UTF-8 too, could break a rule.

    False is certain, True asks for a walk.
    """
    folded = data.translate(_FOLD, b"+")
    return (
        "\\u" in text
        or "NaN" in text
        or "Inf" in text
        or folded.find(_LONG_NUMBER) >= 0
        or folded.find(_LARGE_EXPONENT) >= 0
        or (len(data) > 2 * DEPTH and _deep(data))
    )


def faults_in_text(text: str) -> list[Fault]:
    """Return the faults of a JSON text; none when it is not JSON at all."""
    try:
        value = json.loads(text, parse_int=_whole)
    except RecursionError:
        return [Fault((), _TOO_DEEP)]
    except ValueError:
        return []
    return first_faults(value)


def faults_in(
    value: object, path: tuple[PathPart, ...] = (), *, strict: bool = False
) -> Iterator[Fault]:
    """Yield what can't be kept of a value, and where it is.

    `strict` looks at values that are no plain data too, and whether they can be written at all.
    """
    if value is None or isinstance(value, bool):
        return
    message: str | None = None
    if isinstance(value, str):
        message = text_fault(value)
    elif isinstance(value, int):
        message = None if abs(value) <= SAFE_INTEGER else _TOO_LARGE
    elif isinstance(value, float):
        message = None if math.isfinite(value) else _NOT_FINITE
    elif (parts := members(value)) is not None:
        yield from _faults_within(value, parts, path, strict=strict)
    elif strict and not _writable(value):
        message = f"{type(value).__name__} can't be written as JSON: use plain data"
    if message is not None:
        yield Fault(path, message)


def first_faults(value: object, *, strict: bool = False) -> list[Fault]:
    """Return the first faults of a value, also of one that holds itself."""
    return list(islice(faults_in(value, strict=strict), FAULTS))


def text_fault(text: str) -> str | None:
    """Return what is wrong with a text, or None."""
    if "\0" in text:
        return "holds a NUL character: leave it out"
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        return "holds half of a surrogate pair: give whole characters"
    return None


def can_be_kept(text: str) -> bool:
    """Return whether there may be such a text in a database; what can't be kept equals nothing."""
    return text_fault(text) is None


def members(value: object) -> list[tuple[PathPart, object]] | None:
    """Return the parts of a value under their keys; None when it has none."""
    if isinstance(value, Mapping):
        mapping = cast("Mapping[object, object]", value)
        return [(path_part(key), part) for key, part in mapping.items()]
    if isinstance(value, list | tuple | Set):
        return list(enumerate(cast("Iterable[object]", value)))
    if isinstance(value, BaseModel):
        return [(path_part(name), part) for name, part in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(cast("Any", value))
        return [(f.name, getattr(value, f.name)) for f in fields if hasattr(value, f.name)]
    return None


def path_part(key: object) -> PathPart:
    """Return a key as it may stand in a fault's path: printable anywhere, and short."""
    if isinstance(key, int) and not isinstance(key, bool) and abs(key) <= SAFE_INTEGER:
        return key
    text = printable(str(key))
    return text if len(text) <= _PATH_PART else text[:_PATH_PART] + "…"


def printable(text: str) -> str:
    """Return the text with what no database keeps written out: NUL, lone surrogates."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")


def _faults_within(
    value: object,
    parts: list[tuple[PathPart, object]],
    path: tuple[PathPart, ...],
    *,
    strict: bool,
) -> Iterator[Fault]:
    if len(path) >= DEPTH:
        yield Fault(path, _TOO_DEEP)
        return
    if isinstance(value, Mapping):
        for key in cast("Mapping[object, object]", value):
            if isinstance(key, str) and (message := text_fault(key)):
                yield Fault((*path, path_part(key)), f"its key {message}")
    for key, part in parts:
        yield from faults_in(part, (*path, key), strict=strict)


def _writable(value: object) -> bool:
    try:
        to_json(value)
    except (PydanticSerializationError, ValueError, TypeError):
        return False
    return True


def _deep(data: bytes) -> bool:
    if data.count(b"[") + data.count(b"{") <= DEPTH:
        return False
    brackets = data.translate(None, _NOT_BRACKETS)
    return max(accumulate(map(_STEPS.__getitem__, brackets))) > DEPTH


def _whole(digits: str) -> int:
    # Python refuses to read very long numbers; all of these are past the limit anyway.
    return int(digits) if len(digits) <= 20 else 10**20


_TOO_DEEP = f"is nested deeper than {DEPTH} lists and objects: flatten it"
_TOO_LARGE = f"is past {SAFE_INTEGER}, where JSON readers lose digits: give it as text"
_NOT_FINITE = "is not a finite number: give a number, or null"
