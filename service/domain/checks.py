"""What the values in a definition must be, whatever a type checker was told."""

from datetime import timedelta

from service.domain.errors import DefinitionError
from service.domain.limits import LARGEST_COUNT, LONGEST_SPAN


def is_whole(value: object, low: int, high: int) -> bool:
    """Return whether the value is a whole number from `low` to `high`."""
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def check_count(value: object, what: str, *, low: int = 1, high: int = LARGEST_COUNT) -> None:
    """Refuse what is not a whole number from `low` to `high`."""
    if not is_whole(value, low, high):
        raise DefinitionError(
            f"{what} is {_shown(value)}: give a whole number from {low:,} to {high:,}."
        )


def check_span(value: object, what: str) -> None:
    """Refuse what is not a timedelta above zero and of at most a hundred years."""
    if not isinstance(value, timedelta):
        raise DefinitionError(
            f"{what} is {_shown(value)}: give a timedelta, such as timedelta(seconds=30)."
        )
    if not timedelta(0) < value <= LONGEST_SPAN:
        raise DefinitionError(
            f"{what} is {value}: give a timedelta above zero and of at most "
            f"{LONGEST_SPAN.days:,} days."
        )


def _shown(value: object) -> str:
    return repr(value)[:100]
