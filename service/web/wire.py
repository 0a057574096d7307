"""The ASGI side of a WebSocket: whole text messages in and out, and why there are no more."""

from starlette.types import Receive, Send

BAD_MESSAGE = 4400
TOO_LARGE = 1009


class Over(Exception):
    """The socket is at its end: it is gone, or is to be closed with the code."""

    def __init__(self, code: int | None = None, reason: str = "") -> None:
        self.code = code
        self.reason = reason


class Wire:
    """One WebSocket. Sending waits while the other side doesn't read."""

    def __init__(self, receive: Receive, send: Send, limit: int) -> None:
        self._receive = receive
        self._send = send
        self._limit = limit
        self._closed = False

    async def accept(self, protocol: str | None) -> None:
        """Open it. Raises Over."""
        if (await self._receive())["type"] != "websocket.connect":
            raise Over
        await self._pass({"type": "websocket.accept", "subprotocol": protocol})

    async def read(self) -> str:
        """Return the next message. Raises Over."""
        message = await self._receive()
        if message["type"] == "websocket.disconnect":
            self._closed = True
            raise Over
        text: str | None = message.get("text")
        if text is None:
            raise Over(BAD_MESSAGE, "Messages are text")
        if len(text) > self._limit:
            raise Over(TOO_LARGE, "The message is too large")
        return text

    async def write(self, text: str) -> None:
        """Send a message. Raises Over."""
        if self._closed:
            raise Over
        await self._pass({"type": "websocket.send", "text": text})

    async def close(self, code: int, reason: str) -> None:
        """Close it, if it is not."""
        if not self._closed:
            self._closed = True
            try:
                await self._pass({"type": "websocket.close", "code": code, "reason": reason})
            except Over:
                return

    async def _pass(self, message: dict[str, object]) -> None:
        try:
            await self._send(message)
        except (OSError, RuntimeError):  # servers say in one of these ways that it is gone
            self._closed = True
            raise Over from None
