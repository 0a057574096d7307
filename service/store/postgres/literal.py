"""Values in PostgreSQL's text format: https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO.

The driver writes arrays an item at a time in Python, through an adapter for each; a batch of 500
rows took six times as long that way.
"""

from collections.abc import Sequence
from typing import Any

from service.store.database import Params

_APART = "\x1f"
_BETWEEN = '","'


def literal(value: object) -> bytes | None:
    """Return a parameter; raises `ValueError` for text that PostgreSQL can't hold."""
    if value is None:
        return None
    if value is True:
        return b"t"
    if value is False:
        return b"f"
    return _encoded(str(value))


def array(values: Sequence[Any]) -> bytes:
    """Return a parameter that is an array.

    Most columns of a batch hold one value many times, and most of the others nothing but text.
    """
    if values and values.count(values[0]) == len(values):
        items = ",".join([_item(values[0])] * len(values))
    else:
        items = _texts(values) or ",".join([_item(value) for value in values])
    return _encoded(f"{{{items}}}")


def columns(params: Sequence[Params]) -> list[bytes]:
    """Return the parameters of a statement that is run for each of `params`: an array a column."""
    return [array(column) for column in zip(*params, strict=True)]


def _texts(values: Sequence[Any]) -> str | None:
    """Return the items of an array of nothing but text, all at once, where that can be."""
    try:
        joined = _APART.join(values)
    except TypeError:
        return None
    if joined.count(_APART) != len(values) - 1:
        return None
    return f'"{_escaped(joined).replace(_APART, _BETWEEN)}"'


def _item(value: object) -> str:
    if value is None:
        return "NULL"
    if value is True:
        return "t"
    if value is False:
        return "f"
    return f'"{_escaped(value)}"' if isinstance(value, str) else str(value)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _encoded(text: str) -> bytes:
    if "\0" in text:
        raise ValueError("PostgreSQL keeps no text with NUL in it.")
    return text.encode()
