"""Brings the events that other processes wrote into this process's ring."""

import asyncio
import logging
from collections.abc import Callable

from service.domain.clock import Clock
from service.domain.errors import CursorExpired
from service.domain.interest import EVERYTHING
from service.emitter import Emitter
from service.operations.events import Log

BATCH = 500

_FIRST_BACKOFF = 0.1
_MAX_BACKOFF = 5.0

_log = logging.getLogger(__name__)


class Relay:
    """Reads the log on from the ring's head whenever the ring is behind it.

    That it is behind it learns from the emitter (a batch left a gap), from `committed` (the last
    position that any process is known to have written; a call that costs next to nothing), asked
    each `poll` seconds, and, should neither tell, by reading each `tick` seconds in any case.
    """

    def __init__(
        self,
        emitter: Emitter,
        log: Log,
        clock: Clock,
        committed: Callable[[], int],
        *,
        poll: float = 0.05,
        tick: float = 1.0,
    ) -> None:
        self._emitter = emitter
        self._reader = log
        self._clock = clock
        self._committed = committed
        self._poll = poll
        self._tick = tick
        self._backoff = 0.0

    async def run(self) -> None:
        """Relay until cancelled. An outage of the database is logged once, and outlived."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._watch())
            tasks.create_task(self._pull())

    async def _watch(self) -> None:
        read_at = self._clock.monotonic()
        while True:
            await self._clock.sleep(self._poll)
            self._emitter.miss(self._known())
            if self._clock.monotonic() - read_at >= self._tick:
                read_at = self._clock.monotonic()
                self._emitter.behind.set()

    def _known(self) -> int:
        try:
            return self._committed()
        except Exception:
            _log.debug("Nobody tells how far the log goes; each tick reads it.", exc_info=True)
            return 0

    async def _pull(self) -> None:
        while True:
            await self._emitter.behind.wait()
            try:
                await self._read()
            except Exception as error:
                await self._back_off(error)
            else:
                self._recovered()

    async def _read(self) -> None:
        """Feed the next events of the log; `behind` stays set while there is more to read."""
        emitter = self._emitter
        head = emitter.head
        try:
            events, _ = await self._reader.after(head, EVERYTHING, BATCH)
        except CursorExpired:
            emitter.start(await self._reader.oldest())
            return
        emitter.feed(events)
        if emitter.head < emitter.wanted:
            if emitter.head == head:
                await self._clock.sleep(self._poll)
        elif len(events) < BATCH:
            emitter.behind.clear()
        else:
            emitter.behind.set()

    async def _back_off(self, error: Exception) -> None:
        if not self._backoff:
            _log.warning("The log can't be read; trying again until it can: %s", error)
        self._backoff = min(_MAX_BACKOFF, max(_FIRST_BACKOFF, 2 * self._backoff))
        await self._clock.sleep(self._backoff)

    def _recovered(self) -> None:
        if self._backoff:
            self._backoff = 0.0
            _log.info("The log can be read again.")
