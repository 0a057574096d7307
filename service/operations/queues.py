"""List, pause and resume queues."""

from collections.abc import Callable, Sequence

from service.domain.errors import NotFound
from service.domain.ids import IdSource
from service.domain.names import check_name
from service.domain.queue import QueueView
from service.domain.registry import Workflows as Registry
from service.operations.requests import identify
from service.store.queues import Pause
from service.store.store import Store


class Queues:
    """What callers may do with queues. Every call may raise `Unavailable`."""

    def __init__(
        self, store: Store, registry: Registry, new_id: IdSource, stir: Callable[[], None]
    ) -> None:
        self._store = store
        self._registry = registry
        self._new_id = new_id
        self._stir = stir

    async def list(self) -> Sequence[QueueView]:
        """Return every queue that is declared, paused, in use, or a workflow's own, by name."""
        return await self._store.queues.list(self._own())

    async def pause(self, name: str, request_id: str | None = None) -> QueueView:
        """Let no instance of the queue be claimed until it is resumed; what runs goes on."""
        return await self._set(name, request_id, paused=True)

    async def resume(self, name: str, request_id: str | None = None) -> QueueView:
        """Let the queue's instances be claimed again."""
        return await self._set(name, request_id, paused=False)

    def _own(self) -> Sequence[str]:
        return [definition.queue for definition in self._registry.definitions.values()]

    async def _set(self, name: str, request_id: str | None, *, paused: bool) -> QueueView:
        check_name(name, "name")
        what = "pauseQueue" if paused else "resumeQueue"
        request = identify(self._new_id, request_id, what, [name])
        if name not in self._own() and not await self._store.queues.exists(name):
            raise NotFound(
                f"No queue is named {name!r}. Ask the `queues` query for those that there are."
            )
        await self._store.write(Pause(name=name, paused=paused, request=request))
        self._stir()
        return next(view for view in await self.list() if view.name == name)
