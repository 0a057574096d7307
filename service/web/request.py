"""A GraphQL request over HTTP: by POST as JSON, or a query by GET in the address."""

from collections.abc import Mapping
from urllib.parse import parse_qsl

from starlette.types import Receive, Scope

from service.domain.errors import LimitExceeded
from service.graphql.asking import Question
from service.graphql.errors import BAD_REQUEST, Refused, refusal, show_exception
from service.web.answering import Header
from service.web.reading import question_of, read_json

MAX_FIELDS = 20

Headers = Mapping[bytes, bytes]


class RefusedWith(Refused):
    """Refused with an HTTP status of its own."""

    def __init__(self, status: int, refused: Refused, *headers: Header) -> None:
        self.status = status
        self.headers = headers
        super().__init__(refused.errors)


class Gone(Exception):
    """The client went away before its request was whole."""


async def read_question(
    scope: Scope, headers: Headers, receive: Receive, body_limit: int
) -> Question:
    """Return the question of a request. Raises Refused, or Gone."""
    if scope["method"] == "POST":
        _check_type(headers.get(b"content-type", b""))
        body = await _read_body(headers, receive, body_limit)
        return question_of(read_json(body))
    if scope["method"] in {"GET", "HEAD"}:
        return _from_address(scope["query_string"])
    message = f"GraphQL is asked by POST, or by GET for queries; not by {scope['method']}."
    raise only_by(b"GET, POST", message)


def only_by(methods: bytes, message: str) -> RefusedWith:
    """Return the refusal of a method that doesn't do."""
    return RefusedWith(405, refusal(BAD_REQUEST, message), (b"allow", methods))


def _check_type(given: bytes) -> None:
    """Refuse what a form of another site could send without a browser asking first."""
    media, _, parameters = given.lower().partition(b";")
    charset = parameters.replace(b" ", b"").replace(b'"', b"")
    if media.strip() != b"application/json" or charset not in {b"", b"charset=utf-8"}:
        message = f"The content type is {given[:100].decode('latin-1')!r}. Send application/json."
        raise RefusedWith(415, refusal(BAD_REQUEST, message))


async def _read_body(headers: Headers, receive: Receive, limit: int) -> bytes:
    announced = headers.get(b"content-length", b"")
    if announced.isdigit() and int(announced) > limit:
        raise _too_large(limit)
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        part: bytes = message.get("body", b"")
        size += len(part)
        if size > limit:
            raise _too_large(limit)
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


def _too_large(limit: int) -> RefusedWith:
    error = LimitExceeded(
        f"The request is larger than {limit:,} bytes. Send less at a time, keep large data "
        "elsewhere, or raise the `body_limit` setting."
    )
    return RefusedWith(413, Refused([show_exception(error)]))


def _from_address(query_string: bytes) -> Question:
    try:
        fields = dict(
            parse_qsl(
                query_string.decode("ascii"),
                keep_blank_values=True,
                errors="strict",
                max_num_fields=MAX_FIELDS,
            )
        )
    except ValueError as error:
        raise refusal(BAD_REQUEST, f"The address can't be read: {error}.") from None
    variables = fields.get("variables")
    return question_of({**fields, "variables": read_json(variables) if variables else None})
