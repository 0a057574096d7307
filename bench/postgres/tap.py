"""A way to a server on which statements are counted: a proxy that reads what the server answers.

Every statement that was carried out, in whatever protocol and however many to a message, is
answered by one CommandComplete; an empty one, one that was cut short and one that failed by another
message. They are counted alike.
"""

import asyncio
import struct
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit, urlunsplit

from bench.ground import Tap

_NO_ENCRYPTION = b"N"
_ENCRYPTIONS = {80877103, 80877104}  # SSLRequest and GSSENCRequest
_ANSWERS = b"CIsE"
_CHUNK = 1 << 16
_DEFAULT_PORT = 5432


class Proxy:
    """Hands on both ways, unchanged, and counts."""

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._port = port
        self.statements = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection to its end; encryption is declined, so that it can read."""
        head = await reader.readexactly(8)
        while struct.unpack("!II", head)[1] in _ENCRYPTIONS:
            writer.write(_NO_ENCRYPTION)
            head = await reader.readexactly(8)
        up_reader, up_writer = await asyncio.open_connection(self._host, self._port)
        up_writer.write(head)
        await asyncio.gather(self._ask(reader, up_writer), self._answer(up_reader, writer))

    async def _ask(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()
        writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readexactly(5)
                kind, size = struct.unpack("!cI", head)
                writer.write(head + await reader.readexactly(size - 4))
                self.statements += kind in _ANSWERS
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


@asynccontextmanager
async def tap(url: str) -> AsyncGenerator[Tap]:
    """Open a way to a database for one process, whose statements are counted."""
    parts = urlsplit(url)
    proxy = Proxy(parts.hostname or "127.0.0.1", parts.port or _DEFAULT_PORT)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    user = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
    async with server:
        yield Tap(urlunsplit(parts._replace(netloc=f"{user}{address}")), lambda: proxy.statements)
