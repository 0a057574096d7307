"""What a value loses on its way through JSON and back."""

from collections.abc import Mapping, Set
from typing import cast

from service.domain.errors import Fault, PathPart
from service.domain.plain import members, path_part

_ADVICE = (
    "annotate it with its own type, or use plain JSON data "
    "(lists, objects with texts as keys, texts, numbers)"
)


def difference(value: object, back: object, path: tuple[PathPart, ...] = ()) -> Fault | None:
    """Return where `back`, which was read from the value's JSON, is not the value; or None.

    Objects that don't compare themselves are compared by their data.
    """
    if same(value, back):
        return None
    if type(value) is not type(back):
        kind, other = type(value).__name__, type(back).__name__
        return Fault(path, f"{kind} would come back as {other}: {_ADVICE}")
    pairs = _pairs(value, back)
    if pairs is None:
        return Fault(path, f"this {type(value).__name__} would come back changed: {_ADVICE}")
    for key, part, part_back in pairs:
        fault = difference(part, part_back, (*path, key))
        if fault is not None:
            return fault
    return None


def same(value: object, back: object) -> bool:
    """Return whether the two compare equal; False when they can't be compared."""
    try:
        return bool(value == back)
    except Exception:
        return False


def _pairs(value: object, back: object) -> list[tuple[PathPart, object, object]] | None:
    """Return the parts of both under their keys; None when they don't have the same."""
    if isinstance(value, Mapping):
        left, right = cast("Mapping[object, object]", value), cast("Mapping[object, object]", back)
        if set(left) != set(right):
            return None
        return [(path_part(key), part, right[key]) for key, part in left.items()]
    parts, parts_back = members(value), members(back)
    if parts is None or parts_back is None or isinstance(value, Set):
        return None
    if [key for key, _ in parts] != [key for key, _ in parts_back]:
        return None
    return [(key, part, other) for (key, part), (_, other) in zip(parts, parts_back, strict=True)]
