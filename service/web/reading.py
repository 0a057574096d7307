"""Reads what came over the wire: JSON, and the question in it. Whatever is odd is refused."""

import json
from collections.abc import Mapping
from typing import Any, cast

from pydantic_core import from_json

from service.domain.errors import InvalidParams
from service.domain.plain import faults_in
from service.graphql.asking import Question
from service.graphql.errors import BAD_REQUEST, Refused, refusal, show_exception

_SHAPE = (
    'Send an object such as {"query": "query Q($id: ID!) { … }", "variables": {"id": "…"}, '
    '"operationName": "Q"}.'
)


def read_json(text: bytes | str) -> Any:
    """Return the value of a JSON text, or raise Refused.

    Texts with half of a surrogate pair, and numbers that aren't finite, are refused wherever they
    stand: nothing behind this could keep them.
    """
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError as error:
        return _second_look(text, str(error))


def question_of(value: object) -> Question:
    """Return the question in a request's JSON, or raise Refused."""
    if isinstance(value, list):
        raise refusal(BAD_REQUEST, f"Batches are not taken: send each request by itself. {_SHAPE}")
    if not isinstance(value, dict):
        raise refusal(BAD_REQUEST, f"The request is no object. {_SHAPE}")
    request = cast("Mapping[str, object]", value)
    document = request.get("query")
    variables = request.get("variables")
    operation = request.get("operationName")
    if not isinstance(document, str) or not document:
        raise refusal(BAD_REQUEST, f"The request has no `query`. {_SHAPE}")
    if variables is not None and not isinstance(variables, dict):
        raise refusal(BAD_REQUEST, f"The `variables` are no object. {_SHAPE}")
    if operation is not None and not isinstance(operation, str):
        raise refusal(BAD_REQUEST, f"The `operationName` is no text. {_SHAPE}")
    return Question(document, cast("Mapping[str, Any] | None", variables), operation or None)


def _second_look(text: bytes | str, reason: str) -> Any:
    """Return what a more patient reader makes of it, or raise Refused, saying what is wrong."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise refusal(BAD_REQUEST, f"This is not JSON: {reason}. {_SHAPE}") from None
    if faults := list(faults_in(value)):
        raise Refused([show_exception(InvalidParams(faults))])
    return value
