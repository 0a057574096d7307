"""The one door through which time enters."""

from datetime import UTC, datetime, timedelta
from typing import Protocol

Instant = int
"""Microseconds since 1970-01-01T00:00:00Z: what both databases keep, exactly."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
SECOND = 1_000_000


class Clock(Protocol):
    """Tells the time and waits."""

    def now(self) -> Instant:
        """Return the wall clock's current instant."""
        ...

    def monotonic(self) -> float:
        """Return seconds on a clock that nobody can set."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return after `seconds` of this clock's time."""
        ...


def micros(span: timedelta) -> int:
    """Return the span in microseconds."""
    return span // MICROSECOND


def to_instant(moment: datetime) -> Instant:
    """Return the instant of an aware datetime."""
    return (moment - EPOCH) // MICROSECOND


def to_datetime(instant: Instant) -> datetime:
    """Return the instant as an aware datetime in UTC."""
    return EPOCH + timedelta(microseconds=instant)
