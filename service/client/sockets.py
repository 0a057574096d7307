"""The client's WebSockets: opened when needed, shared, and opened again when they broke."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta

from service.client.websocket import Socket, open_socket

ROOM = 50
"""Subscriptions on one socket; servers refuse more than some number, 100 by default."""


class Sockets:
    """Hands out live sockets with room; who asks while one is being opened shares the attempt."""

    def __init__(self, url: str, headers: Mapping[str, str], timeout: timedelta) -> None:
        self.url = "ws" + url.removeprefix("http")
        self._headers = headers
        self._timeout = timeout
        self._sockets: list[Socket] = []
        self._opening: asyncio.Task[None] | None = None
        self._closed = False

    async def live(self) -> Socket:
        """Return a live socket to subscribe on at once.

        Raises what `open_socket` raises, and RuntimeError once it is closed.
        """
        while not self._closed:
            self._sockets = [socket for socket in self._sockets if socket.alive]
            for socket in self._sockets:
                if socket.load < ROOM:
                    return socket
            if self._opening is None or self._opening.done():
                self._opening = asyncio.create_task(self._open())
            await asyncio.shield(self._opening)
        raise RuntimeError("The client is closed: ask within its `async with` block.")

    async def close(self) -> None:
        """Close them all, for good."""
        self._closed = True
        if self._opening is not None:
            self._opening.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await self._opening
        sockets, self._sockets = self._sockets, []
        await asyncio.gather(*(socket.close() for socket in sockets))

    async def _open(self) -> None:
        socket = await open_socket(self.url, self._headers, self._timeout)
        self._sockets.append(socket)
