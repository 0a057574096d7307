"""A subscriber over a WebSocket that hands on each event, untouched."""

import asyncio
from collections.abc import Callable, Mapping

from bench.ws_wire import Socket

FOLLOW = """
subscription Follow($types: [WorkflowEventType!], $after: String) {
  workflowEvents(types: $types, after: $after) {
    cursor type at instanceID name queue status
  }
}
"""


def follow_body(**variables: object) -> dict[str, object]:
    """Return what subscribes to events."""
    return {"query": FOLLOW, "variables": variables}


class Subscriber:
    """One socket with one subscription."""

    def __init__(self, port: int, event: Callable[[bytes], None]) -> None:
        self._port = port
        self._event = event
        self._acknowledged: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._answered: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._socket: Socket | None = None

    async def open(self, body: Mapping[str, object]) -> None:
        """Connect and subscribe; the server has read the subscription when this returns."""
        loop = asyncio.get_running_loop()
        _, socket = await loop.create_connection(
            lambda: Socket(self._port, self._received), "127.0.0.1", self._port
        )
        self._socket = socket
        await asyncio.wait_for(socket.opened, 20)
        socket.send({"type": "connection_init"})
        await asyncio.wait_for(self._acknowledged, 20)
        socket.send({"id": "1", "type": "subscribe", "payload": dict(body)})
        socket.send({"type": "ping"})
        await asyncio.wait_for(self._answered, 20)

    def close(self) -> None:
        """Go away."""
        if self._socket is not None:
            self._socket.close()

    def _received(self, message: bytes) -> None:
        if b'"next"' in message:
            if b'"errors"' in message:
                raise RuntimeError(message.decode())
            self._event(message)
        elif b'"connection_ack"' in message:
            self._acknowledged.set_result(None)
        elif b'"pong"' in message:
            self._answered.set_result(None)
        elif b'"ping"' in message and self._socket is not None:
            self._socket.send({"type": "pong"})
        else:
            raise RuntimeError(message.decode())
