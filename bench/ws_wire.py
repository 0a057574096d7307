"""As little WebSocket as a subscriber can do with: text frames in, and masked text frames out."""

import asyncio
import json
import struct
from collections.abc import Callable, Mapping
from typing import cast

_HANDSHAKE = (
    "GET /graphql HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
    "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n"
)
_TEXT, _CLOSE, _PING, _PONG = 1, 8, 9, 10
_FINAL = 0x80
_MASKED = 0x80
_NO_MASK = b"\0\0\0\0"

Received = Callable[[bytes], None]


class Socket(asyncio.Protocol):
    """One WebSocket; each text message is handed to `received`."""

    def __init__(self, port: int, received: Received) -> None:
        self._port = port
        self._received = received
        self._rest = b""
        self._transport: asyncio.Transport | None = None
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the upgrade."""
        self._transport = cast("asyncio.Transport", transport)
        self._transport.write(_HANDSHAKE.format(port=self._port).encode())

    def connection_lost(self, exc: Exception | None) -> None:
        """Say so to whoever waits."""
        if not self.lost.done():
            self.lost.set_result(str(exc or "the server closed the socket"))

    def data_received(self, data: bytes) -> None:
        """Take whole frames off what has arrived."""
        buffer = self._rest + data if self._rest else data
        position = 0
        if not self.opened.done():
            end = buffer.find(b"\r\n\r\n")
            if end < 0:
                self._rest = buffer
                return
            if b" 101 " not in buffer[:20]:
                self.opened.set_exception(RuntimeError(buffer[:200].decode()))
                return
            self.opened.set_result(None)
            position = end + 4
        while frame := _frame(buffer, position):
            opcode, start, position = frame
            self._take(opcode, buffer[start:position])
        self._rest = buffer[position:]

    def send(self, message: Mapping[str, object]) -> None:
        """Send a message as JSON."""
        self._write(_TEXT, json.dumps(message).encode())

    def close(self) -> None:
        """Say goodbye and close it."""
        if self._transport is not None and not self._transport.is_closing():
            self._write(_CLOSE, struct.pack("!H", 1000))
            self._transport.close()

    def _take(self, opcode: int, payload: bytes) -> None:
        if opcode == _TEXT:
            self._received(payload)
        elif opcode == _PING:
            self._write(_PONG, payload)
        elif opcode == _CLOSE:
            self.lost.set_result(f"the server closed the socket: {payload!r}")
            self.close()

    def _write(self, opcode: int, payload: bytes) -> None:
        assert self._transport is not None
        size = len(payload)
        if size < 126:
            head = struct.pack("!BB", _FINAL | opcode, _MASKED | size)
        else:
            head = struct.pack("!BBH", _FINAL | opcode, _MASKED | 126, size)
        self._transport.write(head + _NO_MASK + payload)


def _frame(buffer: bytes, position: int) -> tuple[int, int, int] | None:
    """Return a frame's opcode and its payload's start and end; None if it isn't whole."""
    have = len(buffer) - position
    if have < 2:
        return None
    size = buffer[position + 1]
    start = position + 2
    if size == 126:
        if have < 4:
            return None
        (size,) = struct.unpack_from("!H", buffer, start)
        start += 2
    elif size == 127:
        if have < 10:
            return None
        (size,) = struct.unpack_from("!Q", buffer, start)
        start += 8
    end = start + size
    return None if end > len(buffer) else (buffer[position] & 0x0F, start, end)
