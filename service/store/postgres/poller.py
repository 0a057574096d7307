"""Asks how far the log goes, where nobody can be heard."""

import logging
from collections.abc import Awaitable, Callable

from service.domain.clock import Clock
from service.domain.errors import Unavailable
from service.store.database import Heard
from service.store.postgres.ear import Ear

_log = logging.getLogger(__name__)


class Poller(Ear):
    """Asks `head` each `seconds`, and tells what it says when that has changed."""

    def __init__(
        self, clock: Clock, heard: Heard, head: Callable[[], Awaitable[int]], seconds: float
    ) -> None:
        self._clock = clock
        self._heard = heard
        self._head = head
        self._seconds = seconds
        super().__init__(self._run(), "poller")

    async def _run(self) -> None:
        known = -1
        while True:
            try:
                head = await self._head()
            except Unavailable as error:
                _log.debug("The log can't be asked for its end: %s", error)
            else:
                if head != known:
                    known = head
                    self._heard(head, ())
            await self._clock.sleep(self._seconds)
