"""One connection through the proxy: two streams of frames, and what a trap does to them."""

import asyncio
import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from tests.postgres.frames import Frame, Frames, Statements

_NO_FAREWELL = struct.pack("ii", 1, 0)
_READY = b"Z"
_ROUND_ENDS = (b"Q", b"S", b"F")
_NO_ENCRYPTION = b"N"


class Trap:
    """Cuts a link at a statement: once it was done and before its answer, or before it arrives."""

    def __init__(self, matches: Callable[[bytes], bool], times: int, *, done: bool) -> None:
        self.matches = matches
        self.left = times
        self.done = done
        self.sprung = 0
        self._sprang = threading.Event()

    def takes(self, text: bytes) -> bool:
        """Tell whether it closes on this statement, and count that."""
        if self.left == 0 or not self.matches(text):
            return False
        self.left -= 1
        return True

    def spring(self) -> None:
        """Tell that a link was cut by it."""
        self.sprung += 1
        self._sprang.set()

    def wait(self, within: float = 10) -> bool:
        """Wait until it has cut a link, and tell whether it has."""
        return self._sprang.wait(within)


class Weather(Protocol):
    """What a link asks the proxy about before it forwards anything."""

    traps: list[Trap]

    async def passage(self) -> None:
        """Wait until bytes may flow."""
        ...


class Link:
    """Forwards between a client and the server until one of them closes, or `cut`.

    The client's frames are counted in rounds: each ends with a query or a sync, and the server
    answers it with one "ready". A statement of a round was done once the "ready" of it is there.
    """

    def __init__(
        self,
        weather: Weather,
        client: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        server: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    ) -> None:
        self._weather = weather
        self._client, self._to_client = client
        self._server, self._to_server = server
        self._statements = Statements()
        self._asked = 1  # the start is a round too
        self._answered = 0
        self._trap: Trap | None = None
        self._trapped_round = 0

    def cut(self) -> None:
        """Close both ends at once, without a farewell."""
        for writer in (self._to_client, self._to_server):
            with suppress(OSError):
                held: socket.socket = writer.get_extra_info("socket")
                held.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_FAREWELL)
            writer.transport.abort()

    async def run(self) -> None:
        """Forward both ways."""
        there = self._pump(self._client, self._to_server, Frames(started=False), self._asks)
        back = self._pump(self._server, self._to_client, Frames(started=True), self._answers)
        await asyncio.gather(there, back)

    async def _pump(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        frames: Frames,
        passes: Callable[[Frame], bool],
    ) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(1 << 16):
                await self._weather.passage()
                for frame in frames.feed(data):
                    if passes(frame):
                        writer.write(frame.raw)
                await writer.drain()
        writer.close()

    def _asks(self, frame: Frame) -> bool:
        """Take a frame of the client's; tell whether it goes on to the server."""
        if frame.wants_encryption:
            self._to_client.write(_NO_ENCRYPTION)
            return False
        text = self._statements.executed(frame)
        if text is not None and self._trap is None:
            self._trap = next((trap for trap in self._weather.traps if trap.takes(text)), None)
            self._trapped_round = self._asked + 1
            if self._trap is not None and not self._trap.done:
                self._close(self._trap)
                return False
        self._asked += frame.kind in _ROUND_ENDS
        return True

    def _answers(self, frame: Frame) -> bool:
        """Take a frame of the server's; tell whether it goes on to the client."""
        trapped = self._trap is not None and self._answered + 1 >= self._trapped_round
        self._answered += frame.kind == _READY
        if self._trap is not None and self._answered == self._trapped_round:
            self._close(self._trap)
        return not trapped

    def _close(self, trap: Trap) -> None:
        self.cut()
        trap.spring()
