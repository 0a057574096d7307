"""The scalars: instants and JSON as the domain keeps them, and numbers wider than `Int`."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NewType

import strawberry
from pydantic_core import from_json
from strawberry.types.scalar import ScalarDefinition

from service.domain.clock import Instant, to_datetime, to_instant

DateTime = NewType("DateTime", int)
"""An `Instant` in a projection."""

JSON = NewType("JSON", object)
"""JSON text in a projection, any JSON value in an input."""

Long = NewType("Long", int)
"""A count in a projection, which may be past what `Int` holds."""

_UTC = len("+00:00")


def show_instant(instant: Instant) -> str:
    """Return the instant as ISO 8601 in UTC, with six digits of a second."""
    return to_datetime(instant).isoformat(timespec="microseconds")[:-_UTC] + "Z"


def read_instant(value: Any) -> Instant:
    """Return the instant that ISO 8601 text with an offset names, or raise ValueError."""
    if not isinstance(value, str):
        raise ValueError("A DateTime is text, such as 2030-01-31T12:00:00Z.")  # noqa: TRY004 - coercion asks for it
    moment = datetime.fromisoformat(value)
    if moment.tzinfo is None:
        raise ValueError(f"{value!r} names no offset. Add Z for UTC, or one such as +02:00.")
    return to_instant(moment)


def show_json(text: str) -> Any:
    """Return the value of the JSON text, for the response to be written around it."""
    return from_json(text)


def _as_it_is(value: Any) -> Any:
    return value


def _no_input(value: Any) -> int:
    raise ValueError(f"{value!r}: Long is never an input.")


SCALARS: Mapping[object, ScalarDefinition] = {
    DateTime: strawberry.scalar(
        name="DateTime",
        description=(
            "An instant as ISO 8601 text. Answers are in UTC with six digits of a second, such as "
            "`2030-01-31T12:00:00.000000Z`; inputs may have any offset, and must have one."
        ),
        specified_by_url="https://scalars.graphql.org/andimarek/date-time.html",
        serialize=show_instant,
        parse_value=read_instant,
    ),
    JSON: strawberry.scalar(
        name="JSON",
        description=(
            "Any JSON value. Whole numbers go up to 2^53 - 1, and texts hold no NUL and no lone "
            "surrogate; what is kept comes back exactly."
        ),
        specified_by_url="https://www.rfc-editor.org/rfc/rfc8259",
        serialize=show_json,
        parse_value=_as_it_is,
    ),
    Long: strawberry.scalar(
        name="Long",
        description="A whole number that may be past 2^31, written as a JSON number.",
        serialize=int,
        parse_value=_no_input,
    ),
}
"""What the schema makes of each of the marks above."""
