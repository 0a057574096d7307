"""As little HTTP/1.1 as a client can do with: one POST at a time on a connection kept open."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import cast

_END = b"\r\n\r\n"


def post(path: str, body: Mapping[str, object], port: int) -> bytes:
    """Return the bytes of a request that posts JSON."""
    content = json.dumps(body).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        f"Accept: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content


class Connection(asyncio.Protocol):
    """Hands each whole response, head and body, to `answered`."""

    def __init__(self, answered: Callable[["Connection", bytes, bytes], None]) -> None:
        self._answered = answered
        self._buffer = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast("asyncio.Transport", transport)

    def send(self, request: bytes) -> None:
        """Send a request."""
        assert self._transport is not None
        self._transport.write(request)

    def close(self) -> None:
        """Close it."""
        if self._transport is not None:
            self._transport.close()

    def data_received(self, data: bytes) -> None:
        """Collect until a response is whole."""
        self._buffer += data
        end = self._buffer.find(_END)
        if end < 0:
            return
        head = self._buffer[:end].lower()
        start = head.find(b"content-length:") + len(b"content-length:")
        length = int(head[start : head.find(b"\r\n", start) if b"\r\n" in head[start:] else None])
        whole = end + len(_END) + length
        if len(self._buffer) >= whole:
            body = self._buffer[end + len(_END) : whole]
            self._buffer = self._buffer[whole:]
            self._answered(self, head, body)
