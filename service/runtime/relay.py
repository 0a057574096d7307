"""Brings the events that other processes wrote into this process's ring."""

import asyncio
import logging
from collections.abc import Callable, Sequence

from service.domain.clock import Clock
from service.domain.errors import CursorExpired
from service.domain.events import Event
from service.domain.interest import EVERYTHING
from service.emitter import Emitter
from service.operations.events import Log

BATCH = 500

_OWN = 0.02
_FIRST_BACKOFF = 0.1
_MAX_BACKOFF = 5.0

_logger = logging.getLogger(__name__)


Listen = Callable[[Callable[[int, Sequence[Event]], None]], Callable[[], None] | None]


class Relay:
    """Reads the log on from the ring's head whenever the ring is behind it.

    That it is behind it learns from the emitter (a batch left a gap), from the database, which
    calls by `listen`, or else tells by `committed` (a call that costs next to nothing) each `poll`
    seconds, and, should none of them tell, from the log's head, read each `tick` seconds. What it
    reads goes to `feed`, by default the emitter's own.
    """

    def __init__(
        self,
        emitter: Emitter,
        log: Log,
        clock: Clock,
        committed: Callable[[], int],
        *,
        listen: Listen | None = None,
        feed: Callable[[Sequence[Event]], None] | None = None,
        poll: float = 0.05,
        tick: float = 1.0,
    ) -> None:
        self._emitter = emitter
        self._feed = feed or emitter.feed
        self._log = log
        self._clock = clock
        self._committed = committed
        self._listen = listen or _nobody
        self._deafen: Callable[[], None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._poll = poll
        self._tick = tick
        self._backoff = 0.0
        self._failing = False

    def ease(self) -> None:
        """Ask only each `tick` from now on, since another relay of this process tells the rest.

        May be called from any thread.
        """
        self._poll = self._tick
        self._listen = _nobody
        if self._deafen is not None and self._loop is not None:
            self._loop.call_soon_threadsafe(self._deafen)

    async def run(self) -> None:
        """Relay until cancelled. An outage of the database is logged once, and outlived."""
        self._loop = asyncio.get_running_loop()
        self._deafen = self._listen(self._hear)
        if self._deafen is not None:
            self._poll = self._tick
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._watch())
            tasks.create_task(self._pull())

    async def _watch(self) -> None:
        looked = self._clock.monotonic()
        while True:
            await self._clock.sleep(self._poll)
            self._emitter.miss(self._known())
            if self._clock.monotonic() - looked >= self._tick:
                looked = self._clock.monotonic()
                await self._look()

    def _hear(self, position: int, events: Sequence[Event]) -> None:
        if position <= self._emitter.head:
            return
        if events:
            self._feed(events)
            self._emitter.miss(position)
        else:
            # A large batch, which may be of this process, and fed at any moment.
            asyncio.get_running_loop().call_later(_OWN, self._emitter.miss, position)

    def _known(self) -> int:
        try:
            return self._committed()
        except Exception:
            _logger.debug("Nobody tells how far the log goes; its head is read.", exc_info=True)
            return 0

    async def _look(self) -> None:
        try:
            self._emitter.miss((await self._log.head()).position)
        except Exception as error:
            self._failed(error)
        else:
            self._succeeded()

    async def _pull(self) -> None:
        while True:
            await self._emitter.behind.wait()
            try:
                await self._read()
            except Exception as error:
                self._failed(error)
                self._backoff = min(_MAX_BACKOFF, max(_FIRST_BACKOFF, 2 * self._backoff))
                await self._clock.sleep(self._backoff)
            else:
                self._backoff = 0.0
                self._succeeded()

    async def _read(self) -> None:
        """Feed the next events of the log."""
        head = self._emitter.head
        try:
            events, _ = await self._log.after(head, EVERYTHING, BATCH)
        except CursorExpired:
            self._emitter.start(await self._log.oldest())
            return
        self._feed(events)
        if self._emitter.head == head < self._emitter.wanted:
            await self._clock.sleep(self._poll)

    def _failed(self, error: Exception) -> None:
        if not self._failing:
            self._failing = True
            _logger.warning("The log can't be read; trying again until it can: %s", error)

    def _succeeded(self) -> None:
        if self._failing:
            self._failing = False
            _logger.info("The log can be read again.")


def _nobody(_: object) -> None:
    return None
