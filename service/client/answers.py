"""Reads a GraphQL answer: its data, or the refusal in its errors."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard, cast

from service.client.errors import RequestRefused, UnexpectedAnswer

Answer = Mapping[str, Any]
"""A GraphQL answer: data, errors, or both."""

UNNAMED = "BAD_REQUEST"
"""The code of an error that came without one, such as a syntax error."""


def is_answer(value: object) -> TypeGuard[Answer]:
    """Tell whether the value is a GraphQL answer at all."""
    return isinstance(value, dict) and ("data" in value or "errors" in value)


def data_of(answer: Answer) -> Mapping[str, Any]:
    """Return the answer's data; raises `RequestRefused` when it has errors."""
    if errors := answer.get("errors"):
        raise refusal_of(errors)
    data = answer.get("data")
    if not isinstance(data, dict):
        raise UnexpectedAnswer("an answer without data")
    return cast("Mapping[str, Any]", data)


def refusal_of(errors: object) -> RequestRefused:
    """Return the first of the errors as an exception."""
    first: object = errors
    if isinstance(errors, Sequence) and not isinstance(errors, str) and errors:
        first = cast("Sequence[object]", errors)[0]
    if not isinstance(first, dict):
        return RequestRefused(UNNAMED, str(first))
    error = cast("Mapping[str, Any]", first)
    extensions = error.get("extensions")
    details: Mapping[str, object] = (
        cast("Mapping[str, object]", extensions) if isinstance(extensions, dict) else {}
    )
    return RequestRefused(
        str(details.get("code", UNNAMED)), str(error.get("message", "no message")), details
    )
