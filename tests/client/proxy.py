"""A link between a client and a server that can be cut."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress


class Link:
    """Forwards bytes. `lose` cuts connections when the next bytes come back from the server."""

    def __init__(self, server: int) -> None:
        self.port = 0
        self.lose = False
        self._server = server
        self._writers: set[asyncio.StreamWriter] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/graphql"

    def cut(self) -> None:
        """Cut every connection, without a farewell."""
        for writer in self._writers:
            writer.transport.abort()

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        there, back = await asyncio.open_connection("127.0.0.1", self._server)
        self._writers |= {writer, back}
        await asyncio.gather(self._pump(reader, back), self._pump(there, writer, answers=True))
        self._writers -= {writer, back}

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, answers: bool = False
    ) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(1 << 16):
                if answers and self.lose:
                    self.lose = False
                    self.cut()
                    break
                writer.write(data)
                await writer.drain()
        writer.close()


@asynccontextmanager
async def linked(server: int) -> AsyncGenerator[Link]:
    """Run a link to the server on that port."""
    link = Link(server)
    listening = await asyncio.start_server(link.connect, "127.0.0.1", 0)
    link.port = listening.sockets[0].getsockname()[1]
    async with listening:
        yield link
        link.cut()
        await asyncio.sleep(0.05)
