"""Writes HTTP responses, straight to ASGI."""

from collections.abc import Iterable

from starlette.types import Send

from service.graphql.encoding import encode

JSON = b"application/json"
GRAPHQL = b"application/graphql-response+json"
HTML = b"text/html; charset=utf-8"

Header = tuple[bytes, bytes]


async def answer(
    send: Send,
    status: int,
    body: bytes,
    *,
    media: bytes = JSON,
    headers: Iterable[Header] = (),
) -> None:
    """Send a whole response."""
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [
                (b"content-type", media),
                (b"content-length", str(len(body)).encode()),
                *headers,
            ],
        }
    )
    await send({"type": "http.response.body", "body": body})


async def answer_json(send: Send, status: int, value: object) -> None:
    """Send a value as JSON."""
    await answer(send, status, encode(value), headers=[(b"cache-control", b"no-store")])
