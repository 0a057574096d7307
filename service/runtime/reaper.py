"""Takes back what workers that are gone left behind."""

import logging
from collections.abc import Callable

from service.domain.clock import Clock, Instant
from service.runtime.clockwatch import ClockWatch
from service.store.store import Store
from service.store.upkeep import CutLeases, Reclaim

_BATCH = 200

_log = logging.getLogger(__name__)


class Reaper:
    """Reclaims instances whose lease ran out, unless the clock that judges them was just set."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        watch: ClockWatch,
        *,
        lease: int,
        renew: Callable[[], None],
    ) -> None:
        self._store = store
        self._clock = clock
        self._watch = watch
        self._lease = lease
        self._renew = renew
        self._steps = watch.steps

    async def reap(self, next_expiry: Instant | None) -> list[str]:
        """Reclaim what ran out and return its ids; `next_expiry` is when the first lease ends."""
        steps = self._watch.steps
        if steps > self._steps:
            self._steps = steps
            _log.warning(
                "The clock was set: leases held here are renewed, and others judged in %g s.",
                self._lease / 1e6,
            )
            self._renew()
            await self._store.write(CutLeases(lease=self._lease))
        if next_expiry is None or next_expiry > self._clock.now() or not self._watch.trusted:
            return []
        reclaimed: list[str] = []
        while True:
            ids = await self._store.write(Reclaim(limit=_BATCH))
            reclaimed.extend(ids)
            if len(ids) < _BATCH:
                break
        for each in reclaimed:
            _log.warning("Taken from a worker whose lease ran out.", extra={"instance": each})
        return reclaimed
