"""Makes ready what has come due."""

from service.domain.clock import Clock, Instant
from service.store.store import Store
from service.store.upkeep import Promote

_BATCH = 500


class Promoter:
    """Promotes due instances in batches, so that none holds the rest up."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def promote(self, next_due: Instant | None) -> int:
        """Promote what is due and return how many; `next_due` is when the first one is."""
        if next_due is None or next_due > self._clock.now():
            return 0
        promoted = 0
        while True:
            count = await self._store.write(Promote(limit=_BATCH))
            promoted += count
            if count < _BATCH:
                return promoted
