"""What a caller is told when something is refused or goes wrong: a message, a code, no more.

The codes are those of `domain.errors`, and for requests that never come as far as an operation:

* BAD_REQUEST                   not a GraphQL request at all
* GRAPHQL_PARSE_FAILED          the document is not GraphQL
* GRAPHQL_VALIDATION_FAILED     the document doesn't fit the schema
* BAD_USER_INPUT                a variable or an argument doesn't fit its type
* OPERATION_RESOLUTION_FAILURE  it isn't clear which operation of the document is meant
"""

import logging
import secrets
from collections.abc import Iterable
from typing import Any

from graphql import GraphQLError

from service.domain.errors import Internal, WorkflowError

BAD_REQUEST = "BAD_REQUEST"
PARSE_FAILED = "GRAPHQL_PARSE_FAILED"
VALIDATION_FAILED = "GRAPHQL_VALIDATION_FAILED"
BAD_USER_INPUT = "BAD_USER_INPUT"
WHICH_OPERATION = "OPERATION_RESOLUTION_FAILURE"

Shown = dict[str, Any]
"""An error as it is written into a response."""

_log = logging.getLogger(__name__)


class Refused(Exception):
    """The request was refused before it was executed; `errors` are what the caller is told."""

    def __init__(self, errors: Iterable[Shown]) -> None:
        self.errors = list(errors)
        super().__init__(self.errors[0]["message"])


def refusal(code: str, message: str) -> Refused:
    """Return a refusal with one error."""
    return Refused([{"message": message, "extensions": {"code": code}}])


def refused(errors: Iterable[GraphQLError], code: str) -> Refused:
    """Return a refusal with the errors that the library found, all under one code."""
    return Refused(_coded(error, code) for error in errors)


def show_exception(error: Exception) -> Shown:
    """Return what a caller is told of an exception outside of any field."""
    known = error if isinstance(error, WorkflowError) else _masked(error)
    return {"message": str(known), "extensions": {"code": known.code, **known.details}}


def show(error: GraphQLError) -> Shown:
    """Return what a caller is told of an error that came up while a field was executed."""
    inner, cause = _unwrapped(error)
    if cause is None and inner.nodes:
        return _coded(error, BAD_USER_INPUT)  # an argument: the library tells where it stands
    shown: Shown = {**show_exception(cause or inner)}
    if error.locations:
        shown["locations"] = [location.formatted for location in error.locations]
    if error.path is not None:
        shown["path"] = error.path
    return shown


def _unwrapped(error: GraphQLError) -> tuple[GraphQLError, Exception | None]:
    """Return the innermost of the library's errors, and what it wraps."""
    while isinstance(error.original_error, GraphQLError):
        error = error.original_error
    return error, error.original_error


def _masked(error: Exception) -> Internal:
    internal = Internal(secrets.token_hex(8))
    _log.error("Internal error %s", internal.error_id, exc_info=error)
    return internal


def _coded(error: GraphQLError, code: str) -> Shown:
    return {**error.formatted, "extensions": {"code": code}}
