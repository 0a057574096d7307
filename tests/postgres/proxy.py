"""A TCP proxy before PostgreSQL, for the ways in which a network fails.

    def test_a_lost_answer(proxy: Proxy) -> None:
        url = proxy.url(database)
        trap = proxy.cut_after(b"COMMIT")   # the server commits, and the client never hears of it
        ...
        assert trap.sprung == 1

It runs in a thread of its own, and every call is done when it returns, from whatever thread. It
refuses encryption, to see what passes; `sslmode=require` can't be used through it.
"""

import asyncio
import random
from collections.abc import Callable
from typing import Self

from tests.postgres.addresses import LOCALHOST, lasting_port, with_address
from tests.postgres.aside import Aside
from tests.postgres.link import Link, Trap

Text = bytes | Callable[[bytes], bool]
"""What a statement must contain, in capitals or not, or a function that tells by its text."""


class Proxy:
    """Listens on a port of its own, and forwards to the server at a host and port."""

    def __init__(self, target_host: str, target_port: int) -> None:
        self.port = lasting_port()
        self.traps: list[Trap] = []
        self._target = (target_host, target_port)
        self._links: list[Link] = []
        self._delay = 0.0
        self._flow = asyncio.Event()
        self._listening: asyncio.Server | None = None
        self._aside = Aside("proxy")
        self._aside.call(self._flow.set)
        self.accept()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    @property
    def links(self) -> int:
        """Return how many links are open."""
        return len(self._links)

    def url(self, original_url: str) -> str:
        """Return the URL of the same database by way of the proxy."""
        return with_address(original_url, LOCALHOST, self.port)

    def cut(self) -> int:
        """Reset every open link, and return how many there were."""
        return self._aside.call(self._cut, lambda links: links)

    def cut_one(self, *, oldest: bool = True) -> int:
        """Reset the oldest link, or one by chance, and return how many that were: one or none."""
        choose = (lambda links: links[:1]) if oldest else _any_one
        return self._aside.call(self._cut, choose)

    def cut_after(self, text: Text, times: int = 1) -> Trap:
        """Cut the link that executes such a statement when it was done, before it is answered."""
        return self._set(Trap(_matcher(text), times, done=True))

    def cut_before(self, text: Text, times: int = 1) -> Trap:
        """Cut the link that executes such a statement, which never arrives at the server."""
        return self._set(Trap(_matcher(text), times, done=False))

    def stall(self) -> None:
        """Let nothing flow from now on, on links that stay open, and on new ones."""
        self._aside.call(self._flow.clear)

    def resume(self) -> None:
        """Let everything flow that was held, and what follows."""
        self._aside.call(self._flow.set)

    def slow(self, seconds: float) -> None:
        """Delay whatever passes, in each direction, by so long; 0 ends that."""
        self._delay = seconds

    def refuse(self) -> None:
        """Refuse new links; those that are open stay."""
        if self._listening is not None:
            self._aside.call(self._listening.close)
            self._listening = None

    def accept(self) -> None:
        """Take new links again."""
        if self._listening is None:
            self._listening = self._aside.run(
                asyncio.start_server(self._serve, LOCALHOST, self.port)
            )

    def end(self) -> None:
        """Refuse new links, cut the open ones, and end the thread."""
        self.refuse()
        self.cut()
        self._aside.end()

    async def passage(self) -> None:
        """Wait until bytes may flow."""
        await self._flow.wait()
        if self._delay:
            await asyncio.sleep(self._delay)

    def _set(self, trap: Trap) -> Trap:
        self.traps.append(trap)
        return trap

    def _cut(self, choose: Callable[[list[Link]], list[Link]]) -> int:
        chosen = list(choose(self._links))
        for link in chosen:
            link.cut()
            self._links.remove(link)
        return len(chosen)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            server = await asyncio.open_connection(*self._target)
        except OSError:
            writer.transport.abort()
            return
        link = Link(self, (reader, writer), server)
        self._links.append(link)
        try:
            await link.run()
        finally:
            link.cut()
            if link in self._links:
                self._links.remove(link)


def _matcher(text: Text) -> Callable[[bytes], bool]:
    if isinstance(text, bytes):
        return lambda statement: text.lower() in statement.lower()
    return text


def _any_one(links: list[Link]) -> list[Link]:
    return random.sample(links, min(1, len(links)))
