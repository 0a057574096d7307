"""Deletes what is older than the retention, a small batch at a time."""

import logging

from service.domain.clock import Clock
from service.domain.errors import Unavailable
from service.store.retention import Prune
from service.store.store import Store

_REST = 60.0
_BETWEEN = 0.05

_log = logging.getLogger(__name__)


class Pruner:
    """Prunes once a minute; between two batches it lets everybody else write."""

    def __init__(self, store: Store, clock: Clock, *, age: int, batch: int) -> None:
        self._store = store
        self._clock = clock
        self._age = age
        self._batch = batch

    async def run(self) -> None:
        """Prune until cancelled; an outage of the database is outlived."""
        while True:
            try:
                await self.prune()
            except Unavailable as error:
                _log.warning("Nothing can be pruned now: %s", error)
            except Exception:
                _log.exception("Pruning failed; it is tried again.")
            await self._clock.sleep(_REST)

    async def prune(self) -> int:
        """Prune everything that is old enough, and return how many rows are gone."""
        total = 0
        while True:
            pruned = await self._store.write(Prune(age=self._age, limit=self._batch))
            total += pruned.total
            if not pruned.total:
                return total
            await self._clock.sleep(_BETWEEN)
