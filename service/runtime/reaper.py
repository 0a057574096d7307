"""Takes back what workers that are gone left behind."""

import logging
from collections.abc import Callable

from service.runtime.clockwatch import ClockWatch
from service.store.store import Store
from service.store.upkeep import Agenda, CutLeases, Reclaim

_BATCH = 200

_log = logging.getLogger(__name__)


class Reaper:
    """Reclaims instances whose lease ran out, unless the clock that judges them was just set."""

    def __init__(
        self,
        store: Store,
        watch: ClockWatch,
        *,
        lease: int,
        renew: Callable[[], None],
    ) -> None:
        self._store = store
        self._watch = watch
        self._lease = lease
        self._renew = renew
        self._steps = watch.steps

    async def reap(self, agenda: Agenda, asked: float) -> list[str]:
        """Reclaim what ran out by the agenda, asked for at that monotonic time; return the ids."""
        self._watch.compare(agenda.now, asked)
        steps = self._watch.steps
        if steps > self._steps:
            self._steps = steps
            _log.warning(
                "The clock was set: leases held here are renewed, and others judged in %g s.",
                self._lease / 1e6,
            )
            self._renew()
            await self._store.write(CutLeases(lease=self._lease))
        expiry = agenda.next_expiry
        if expiry is None or expiry > agenda.now or not self._watch.trusted:
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
