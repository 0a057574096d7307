"""Enqueue, read, cancel and retry instances."""

from collections.abc import Sequence
from dataclasses import dataclass

from service.domain import cursor
from service.domain.definition import Definition
from service.domain.errors import (
    Fault,
    IdempotencyConflict,
    InvalidCursor,
    InvalidParams,
    LimitExceeded,
    UnknownWorkflow,
)
from service.domain.ids import IdSource
from service.domain.instance import CancelOutcome, Failure, Instance, Launch, OnConflict
from service.domain.listing import InstanceFilter
from service.domain.plain import can_be_kept
from service.domain.registry import Workflows as Registry
from service.operations.page import Page, Window, page_of
from service.operations.requests import identify
from service.store.cancel import Cancel
from service.store.enqueue import Enqueue, Placed
from service.store.listing import Stretch
from service.store.reading import not_found
from service.store.requeue import Requeue
from service.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class EnqueueRequest:
    """What to enqueue. `params` is plain JSON data, or a value of the workflow's input type."""

    name: str
    params: object = None
    queue: str | None = None
    priority: int | None = None
    idempotency_key: str | None = None
    singleton_key: str | None = None
    on_conflict: OnConflict = OnConflict.RETURN
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class Enqueued:
    """The instance, whether this call created it, and the cursor to follow it from."""

    instance: Instance
    created: bool
    cursor: str


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The instance, what the cancel came to, and the cursor of that."""

    instance: Instance
    outcome: CancelOutcome
    cursor: str


@dataclass(frozen=True, slots=True)
class Requeued:
    """The instance that was put back, and the cursor of that."""

    instance: Instance
    cursor: str


class Workflows:
    """What callers may do with the workflows that are registered here.

    Every call may raise `Unavailable`.
    """

    def __init__(
        self,
        store: Store,
        registry: Registry,
        new_id: IdSource,
        *,
        payload_limit: int,
        enqueue_many_limit: int,
    ) -> None:
        self.registry = registry
        self._store = store
        self._new_id = new_id
        self._payload_limit = payload_limit
        self._enqueue_many_limit = enqueue_many_limit

    def known(self) -> Sequence[Definition]:
        """Return the definitions registered here, by name."""
        definitions = self.registry.definitions
        return [definitions[name] for name in sorted(definitions)]

    async def enqueue(self, request: EnqueueRequest) -> Enqueued:
        """Enqueue one instance, or find the one that its keys stand for.

        Raises `UnknownWorkflow`, `InvalidParams`, `PayloadTooLarge`, `IdempotencyConflict` or
        `SingletonConflict`, with nothing changed.
        """
        launch = self._launch(request)
        [enqueued] = await self._place("enqueue", [launch], request.request_id)
        return enqueued

    async def enqueue_many(
        self, requests: Sequence[EnqueueRequest], request_id: str | None = None
    ) -> Sequence[Enqueued]:
        """Enqueue all of them in one commit, or none; raises what `enqueue` raises."""
        if len(requests) > self._enqueue_many_limit:
            raise LimitExceeded(
                f"{len(requests):,} items are more than the {self._enqueue_many_limit:,} that one "
                "call takes: split them."
            )
        launches: list[Launch] = []
        faults: list[Fault] = []
        for index, request in enumerate(requests):
            try:
                launches.append(self._launch(request))
            except InvalidParams as error:
                faults.extend(Fault(("items", index, *f.path), f.message) for f in error.faults)
            except UnknownWorkflow as error:
                error.args = (f"items.{index}: {error}",)
                raise
        if faults:
            raise InvalidParams(faults)
        if not launches:
            return []
        _check_keys(launches)
        return await self._place("enqueueMany", launches, request_id)

    async def get(self, instance_id: str) -> Instance | None:
        """Return the instance, if there is one."""
        return await self._store.instances.get(instance_id)

    async def get_many(self, ids: Sequence[str]) -> Sequence[Instance | None]:
        """Return the instance of each id, or None."""
        return await self._store.instances.get_many(ids)

    async def list(self, filter: InstanceFilter, window: Window) -> Page[Instance]:
        """Return a page of instances; raises `InvalidCursor` or `LimitExceeded`."""
        stretch = Stretch(
            limit=window.size + 1,
            after=None if window.after is None else cursor.decode_key(window.after),
            before=None if window.before is None else cursor.decode_key(window.before),
            backward=window.backward,
        )
        rows, head = await self._store.instances.list(filter, stretch)
        return page_of(window, rows, lambda row: cursor.encode_key(row.created_at, row.id), head)

    async def failures(self, instance_id: str, window: Window) -> Page[Failure]:
        """Return a page of the instance's failed attempts, oldest first; forward only."""
        if window.backward or window.before is not None:
            fault = Fault(["last"], "failures are paged forward only: give `first` and `after`")
            raise InvalidParams([fault])
        after = -1
        if window.after is not None:
            key = cursor.decode_key(window.after)
            if key.id != instance_id:
                raise InvalidCursor("The cursor is of another instance's failures.")
            after = key.at
        rows = await self._store.instances.failures(instance_id, after, window.size + 1)
        return page_of(window, rows, lambda row: cursor.encode_key(row.fence, row.instance_id))

    async def cancel(self, instance_id: str, request_id: str | None = None) -> Cancelled:
        """Cancel at once what doesn't run, and ask what runs to stop; raises `NotFound`."""
        _check_id(instance_id)
        request = identify(self._new_id, request_id, "cancel", [instance_id])
        stopped = await self._store.write(Cancel(instance_id=instance_id, request=request))
        return Cancelled(stopped.instance, stopped.outcome, stopped.cursor)

    async def retry(self, instance_id: str, request_id: str | None = None) -> Requeued:
        """Put back what FAILED or was CANCELLED, at its last checkpoint.

        Raises `NotFound`, `InvalidState` or `SingletonConflict`, with nothing changed.
        """
        _check_id(instance_id)
        request = identify(self._new_id, request_id, "retry", [instance_id])
        answer = await self._store.write(Requeue(instance_id=instance_id, request=request))
        return Requeued(answer.instance, answer.cursor)

    async def _place(
        self, what: str, launches: Sequence[Launch], request_id: str | None
    ) -> Sequence[Enqueued]:
        arguments = [] if request_id is None else [_said(launch) for launch in launches]
        request = identify(lambda: launches[0].id, request_id, what, arguments)
        placed = await self._store.write(Enqueue(launches=launches, request=request))
        return [_enqueued(each) for each in placed]

    def _launch(self, request: EnqueueRequest) -> Launch:
        return self.registry.get(request.name).launch(
            id=self._new_id(),
            params=request.params,
            queue=request.queue,
            priority=request.priority,
            idempotency_key=request.idempotency_key,
            singleton_key=request.singleton_key,
            on_conflict=request.on_conflict,
            payload_limit=self._payload_limit,
        )


def _check_id(instance_id: str) -> None:
    if not can_be_kept(instance_id):
        raise not_found(instance_id)


def _check_keys(launches: Sequence[Launch]) -> None:
    """Refuse items of one call that use an idempotency key for different params."""
    first: dict[tuple[str, str], int] = {}
    for index, launch in enumerate(launches):
        if launch.idempotency_key is None:
            continue
        earlier = first.setdefault((launch.name, launch.idempotency_key), index)
        if launches[earlier].params_digest != launch.params_digest:
            raise IdempotencyConflict(
                f"items.{earlier} and items.{index} use the idempotency key "
                f"{launch.idempotency_key!r} with different params: give each a key of its own."
            )


def _said(launch: Launch) -> list[object]:
    """Return all that a caller says of an instance."""
    return [
        launch.name,
        launch.queue,
        launch.priority,
        launch.idempotency_key,
        launch.singleton_key,
        launch.on_conflict.value,
        launch.input,
    ]


def _enqueued(placed: Placed) -> Enqueued:
    instance, cursor = placed.instance, placed.cursor
    if placed.event is not None:
        instance.cursor = cursor
    return Enqueued(instance, placed.created, cursor)
