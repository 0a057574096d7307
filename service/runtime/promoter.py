"""Makes ready what has come due."""

from service.store.store import Store
from service.store.upkeep import Agenda, Promote

_BATCH = 500


class Promoter:
    """Promotes due instances in batches, so that none holds the rest up."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def promote(self, agenda: Agenda) -> int:
        """Promote what the agenda shows to be due, and all else by then; return how many."""
        if agenda.next_due is None or agenda.next_due > agenda.now:
            return 0
        promoted = 0
        while True:
            count = await self._store.write(Promote(limit=_BATCH))
            promoted += count
            if count < _BATCH:
                return promoted
