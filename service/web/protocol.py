"""uvicorn's WebSocket, with an end to its patience.

A transport that is closed first sends what is left in its buffer. A peer that has stopped reading
never takes that, and would hold its connection, and what hangs on it, for as long as TCP lets it.
"""

from uvicorn._types import ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

CLOSE_SECONDS = 5.0
SHUTDOWN_SECONDS = 0.5


class PatientProtocol(WebSocketsSansIOProtocol):
    """Gives a peer a while to take the end of the connection, and then cuts it."""

    async def send(self, message: ASGISendEvent) -> None:
        """Send as uvicorn does; after a close the peer has a while to agree."""
        await super().send(message)
        if message["type"] == "websocket.close":
            self._cut_after(CLOSE_SECONDS)

    def handle_close(self, event: Frame) -> None:
        """Answer the peer's close, which it may not wait for."""
        super().handle_close(event)
        self._cut_after(CLOSE_SECONDS)

    def keepalive_timeout(self) -> None:
        """Cut off a peer that doesn't answer pings: it is gone, or doesn't read."""
        super().keepalive_timeout()
        self.transport.abort()

    def shutdown(self) -> None:
        """Close with 1012, since the server stops."""
        super().shutdown()
        self._cut_after(SHUTDOWN_SECONDS)

    def _cut_after(self, seconds: float) -> None:
        if not self.disconnected:
            self.loop.call_later(seconds, self.transport.abort)
