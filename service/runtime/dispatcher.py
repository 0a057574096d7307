"""Fills free places with what is ready."""

from service.domain.events import Event
from service.domain.registry import Workflows as Registry
from service.runtime.patience import Patience
from service.runtime.runner import Runner
from service.store.claims import Claim
from service.store.store import Store


class Dispatcher:
    """Claims as many instances as there are free places, for the workflows registered here.

    `wanted` is set while something may be ready that was not claimed. `hoped` are instances that
    every worker has heard of and nobody is known to have claimed. Queues with no room left under
    their cap are remembered, since only the end of one of theirs makes room.
    """

    def __init__(
        self,
        store: Store,
        registry: Registry,
        runner: Runner,
        *,
        worker: str,
        slots: int,
        lease: int,
    ) -> None:
        self._store = store
        self._names = frozenset(registry.definitions)
        self._runner = runner
        self._worker = worker
        self._slots = slots
        self._lease = lease
        self._served_last = ""
        self.wanted = True
        self.hoped: set[str] = set()
        self.patience = Patience()
        self._held_back: set[str] = set()
        self._left: set[str] = set()
        self.next_token_in: float | None = None

    @property
    def free(self) -> int:
        """Return how many more instances may run here."""
        return self._slots - self._runner.active

    def hope(self, event: Event) -> None:
        """Take note of an instance that can be claimed, by whoever comes first."""
        if event.name in self._names:
            self.hoped.add(event.instance_id)
            self.wanted |= len(self.hoped) > self._slots

    def left(self, queue: str) -> bool:
        """Take note that an instance left a queue; return whether that makes room for another."""
        self._left.add(queue)
        return queue in self._held_back

    async def dispatch(self) -> None:
        """Claim once, for every free place; raises `Unavailable`."""
        limit = self.free
        hoped, self.hoped = self.hoped, set()
        if limit <= 0:
            self.wanted |= bool(hoped)
            return
        self.wanted = False
        self._left.clear()
        try:
            claims = await self._store.write(
                Claim(
                    worker=self._worker,
                    names=self._names,
                    limit=limit,
                    lease=self._lease,
                    after=self._served_last,
                )
            )
        except BaseException:
            self.wanted = True
            raise
        self._served_last = claims.served_last
        self._held_back = claims.held_back
        at = claims.next_token_at
        self.next_token_in = None if at is None else max(0, at - claims.now) / 1e6
        self._runner.start(claims.claimed)
        if claims.claimed:
            self.patience.won()
        elif hoped and not claims.held_back and self.next_token_in is None:
            self.patience.lost()
        # What was told while the claim was under way may have come after it.
        if len(claims.claimed) == limit or not self._left.isdisjoint(self._held_back):
            self.wanted = True
