"""Spans of time and sizes as people write them: `30s`, `5m`, `1MiB`."""

import re
from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal

MICROSECONDS = {
    "us": 1,
    "ms": 1_000,
    "s": 1_000_000,
    "m": 60_000_000,
    "h": 3_600_000_000,
    "d": 86_400_000_000,
}
BYTES = {"B": 1, "kB": 1_000, "MB": 1_000_000, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

_QUANTITY = re.compile(r"(\d{1,15}(?:\.\d{1,15})?)\s?([A-Za-z]*)", re.ASCII)


def parse_span(text: str) -> timedelta:
    """Return the span of `500ms`, `30s`, `5m`, `1h` or `30d`; a bare number is seconds.

    Raises ValueError for anything else.
    """
    try:
        return timedelta(microseconds=_amount(text, MICROSECONDS, bare="s"))
    except OverflowError:
        raise ValueError(f"{text!r} is longer than time is counted here") from None


def parse_size(text: str) -> int:
    """Return the bytes of `1MiB` or `64kB`; a bare number is bytes.

    Raises ValueError for anything else.
    """
    return _amount(text, BYTES, bare="B")


def _amount(text: str, units: Mapping[str, int], *, bare: str) -> int:
    match = _QUANTITY.fullmatch(text.strip())
    unit = units.get(match[2] or bare) if match else None
    if match is None or unit is None:
        raise ValueError(f"{text[:50]!r} is not a number followed by one of {', '.join(units)}")
    return int(Decimal(match[1]) * unit)
