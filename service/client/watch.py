"""Following the log over reconnects: each event once, in order."""

import logging
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta

from service.client.answers import data_of
from service.client.backoff import Backoff
from service.client.codec import event_of
from service.client.documents import WATCH
from service.client.errors import ConnectionFailed, RequestRefused
from service.client.models import Event
from service.client.sockets import Sockets
from service.client.stream import ConnectionLost, Lagged, Stream
from service.domain.clock import Clock

_log = logging.getLogger(__name__)

STEADY_SECONDS = 5.0
"""After a subscription that held this long the next failure counts as the first in a row."""


class Follower:
    """Makes the subscriptions of one client."""

    def __init__(self, sockets: Sockets, clock: Clock, patience: timedelta) -> None:
        self._sockets = sockets
        self._clock = clock
        self._patience = patience

    async def follow(self, interest: Mapping[str, object], after: str) -> AsyncGenerator[Event]:
        """Yield the events after the cursor, for ever.

        A broken connection is made again, and goes on after the last event. Raises
        `RequestRefused`, or `ConnectionFailed` when `patience` is spent without one.
        """
        backoff = Backoff(self._clock, self._patience)
        while True:
            began = self._clock.monotonic()
            try:
                async with self._subscribed({**interest, "after": after}) as stream:
                    while True:
                        event = event_of(data_of(await stream.read())["event"])
                        after = event.cursor
                        backoff.reset()
                        yield event
            except Lagged:
                continue
            except (ConnectionLost, RequestRefused) as error:
                if self._clock.monotonic() - began > STEADY_SECONDS:
                    backoff.reset()
                await self._outlive(error, backoff)

    async def _outlive(self, error: ConnectionLost | RequestRefused, backoff: Backoff) -> None:
        """Return when it may be tried again, or raise what makes that useless."""
        if isinstance(error, RequestRefused) and error.code != "UNAVAILABLE":
            raise error
        if not backoff.failing:
            _log.warning("Lost %s (%s). Connecting again.", self._sockets.url, error)
        if not await backoff.wait():
            raise ConnectionFailed(self._sockets.url, str(error)) from error

    @asynccontextmanager
    async def _subscribed(self, variables: Mapping[str, object]) -> AsyncGenerator[Stream]:
        socket = await self._sockets.live()
        stream = await socket.subscribe(WATCH, variables)
        try:
            yield stream
        finally:
            socket.unsubscribe(stream)
