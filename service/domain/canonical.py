"""One text for all JSON values that mean the same."""

import json
import re
from hashlib import sha256
from typing import cast

_encode = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
).encode
_FLOAT = re.compile(r"(?:^|[\[:,])-?\d+[.e]")


def canonical(value: object) -> str:
    """Return the value's canonical JSON: keys sorted, no spaces, 1.0 written as 1.

    Raises TypeError or ValueError when the value is not JSON data.
    """
    text = _encode(value)
    return _encode(_normal(value)) if _FLOAT.search(text) else text


def digest(value: object) -> str:
    """Return a short text that is equal for values of equal canonical JSON, and for no others."""
    return sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()


def _normal(value: object) -> object:
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, dict):
        members = cast("dict[object, object]", value)
        return {key: _normal(part) for key, part in members.items()}
    if isinstance(value, list | tuple):
        return [_normal(part) for part in cast("list[object]", value)]
    return value
