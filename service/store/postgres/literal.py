"""Values in PostgreSQL's text format: https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO.

The driver writes arrays an item at a time in Python, through an adapter for each; a batch of 500
rows took six times as long that way.
"""

from collections.abc import Sequence

from service.store.database import Params


def literal(value: object) -> bytes | None:
    """Return a parameter; raises `ValueError` for text that PostgreSQL can't hold."""
    if value is None:
        return None
    if value is True:
        return b"t"
    if value is False:
        return b"f"
    return _encoded(str(value))


def array(values: Sequence[object]) -> bytes:
    """Return a parameter that is an array."""
    return _encoded("{" + ",".join([_item(value) for value in values]) + "}")


def columns(params: Sequence[Params]) -> list[bytes]:
    """Return the parameters of a statement that is run for each of `params`: an array a column."""
    return [array(column) for column in zip(*params, strict=True)]


def _item(value: object) -> str:
    if value is None:
        return "NULL"
    if value is True:
        return "t"
    if value is False:
        return "f"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value)


def _encoded(text: str) -> bytes:
    if "\0" in text:
        raise ValueError("PostgreSQL keeps no text with NUL in it.")
    return text.encode()
