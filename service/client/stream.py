"""What one subscription has received and nobody has read yet."""

import asyncio
from collections import deque

from service.client.answers import Answer

CAPACITY = 1_000
"""Unread messages that a subscription may hold before it is ended, to be resumed when read."""


class ConnectionLost(Exception):
    """The connection is gone, or the server ended the subscription: go on from the last cursor."""


class Lagged(Exception):
    """The reader fell so far behind that the subscription was ended: go on from the last cursor."""


class Stream:
    """Messages of one subscription, in order, and then why there are no more."""

    def __init__(self, key: str) -> None:
        self.key = key
        self._unread: deque[Answer] = deque()
        self._end: Exception | None = None
        self._changed = asyncio.Event()

    @property
    def ended(self) -> bool:
        """Tell whether nothing more will come, whatever is still unread."""
        return self._end is not None

    @property
    def full(self) -> bool:
        """Tell whether there is no room for another message."""
        return len(self._unread) >= CAPACITY

    def put(self, message: Answer) -> None:
        """Add a message."""
        self._unread.append(message)
        self._changed.set()

    def end(self, reason: Exception) -> None:
        """Say that nothing more will come, and why; the first reason stands."""
        self._end = self._end or reason
        self._changed.set()

    async def read(self) -> Answer:
        """Return the next message, or raise the reason why there is none."""
        while not self._unread:
            if self._end is not None:
                raise self._end
            self._changed.clear()
            await self._changed.wait()
        return self._unread.popleft()
