"""New instances, and the keys that decide whether there is a new one at all."""

from collections.abc import Sequence
from dataclasses import dataclass

from service.domain import moves
from service.domain.errors import IdempotencyConflict, SingletonConflict, WorkflowError
from service.domain.events import Event
from service.domain.instance import CancelOutcome, Instance, Launch, OnConflict, Status
from service.store.answers import Answer
from service.store.batch import Batch, Write, attempt
from service.store.cancel import stop
from service.store.reading import read
from service.store.requests import Request, earlier_answer, keep_answer


@dataclass(slots=True, kw_only=True)
class Placed(Answer):
    """The instance of an enqueue, and whether this one created it."""

    created: bool


@dataclass(slots=True, kw_only=True)
class Enqueue(Write[list[Placed]]):
    """Enqueue all of `launches`, or none of them."""

    rank = 40

    launches: Sequence[Launch]
    request: Request
    touches: Sequence[object] = ()

    def __post_init__(self) -> None:
        keys = [*self.request.touches]
        for launch in self.launches:
            if launch.idempotency_key is not None:
                keys.append(("idempotency", launch.name, launch.idempotency_key))
            if launch.singleton_key is not None:
                keys.append(("singleton", launch.name, launch.singleton_key))
        self.touches = keys

    @classmethod
    def perform(
        cls, batch: Batch, writes: "Sequence[Enqueue]"
    ) -> Sequence[list[Placed] | WorkflowError]:
        """Insert all that has no key together, the rest one after the other."""
        plain = [write for write in writes if not write.touches]
        launches = [(launch, write.request.id) for write in plain for launch in write.launches]
        placed = iter(_insert(batch, launches))
        answers: list[list[Placed] | WorkflowError] = []
        for write in writes:
            if write.touches:
                answers.append(attempt(batch, write))
            else:
                answers.append([next(placed) for _ in write.launches])
        return answers

    def apply(self, batch: Batch) -> list[Placed]:
        """Enqueue what has keys."""
        answer = earlier_answer(batch, self.request)
        if answer is not None:
            return [
                Placed(instance=read(batch, instance_id), created=created, known_cursor=cursor)
                for instance_id, created, cursor in answer
            ]
        told = len(batch.events)
        try:
            with batch.tx.savepoint():
                placed = [self._place(batch, launch) for launch in self.launches]
        except WorkflowError:
            batch.forget(told)
            raise
        keep_answer(
            batch, self.request, lambda: [[p.instance.id, p.created, p.cursor] for p in placed]
        )
        return placed

    def _place(self, batch: Batch, launch: Launch) -> Placed:
        if launch.idempotency_key is not None:
            row = batch.tx.one("find_idempotent", (launch.name, launch.idempotency_key))
            if row is not None:
                return _same_key(batch, launch, str(row[0]), row[-1])
        if launch.singleton_key is None:
            return _insert(batch, [(launch, self.request.id)])[0]
        living = batch.tx.all("living_of_key", (launch.name, launch.singleton_key))
        if not living:
            return _insert(batch, [(launch, self.request.id)])[0]
        newest = living[0][0]
        if launch.on_conflict is OnConflict.RETURN:
            return Placed(instance=read(batch, newest), created=False)
        if launch.on_conflict is OnConflict.REFUSE:
            raise SingletonConflict(
                f"The instance {newest} of singleton key {launch.singleton_key!r} has not ended. "
                "Wait for it, cancel it, or enqueue with onConflict RETURN or REPLACE."
            )
        outcomes = [stop(batch, row[0], self.request.id)[0] for row in living]
        blocked = CancelOutcome.REQUESTED in outcomes
        return _insert(batch, [(launch, self.request.id)], blocked=blocked)[0]


def _same_key(batch: Batch, launch: Launch, instance_id: str, digest: str) -> Placed:
    if digest != launch.params_digest:
        raise IdempotencyConflict(
            f"The idempotency key {launch.idempotency_key!r} was used with other params, for "
            f"instance {instance_id}. Use a new key, or repeat the same params."
        )
    return Placed(instance=read(batch, instance_id), created=False)


def _insert(
    batch: Batch, launches: Sequence[tuple[Launch, str]], *, blocked: bool = False
) -> list[Placed]:
    now = batch.now
    ready = not blocked
    batch.tx.run(
        "insert_instance",
        [
            (
                one.id,
                one.name,
                one.queue,
                one.priority,
                ready,
                blocked,
                now,
                one.max_attempts,
                one.max_lost,
                one.hooked,
                one.idempotency_key,
                one.params_digest,
                one.singleton_key,
                request,
                one.action,
                one.input,
            )
            for one, request in launches
        ],
    )
    return [
        Placed(instance=_instance(one, now), created=True, event=batch.tell(_enqueued(one)))
        for one, _ in launches
    ]


def _enqueued(launch: Launch) -> Event:
    return Event(
        type=moves.ENQUEUE.event,
        instance_id=launch.id,
        name=launch.name,
        queue=launch.queue,
        status=moves.ENQUEUE.target,
        action=launch.action,
    )


def _instance(launch: Launch, now: int) -> Instance:
    return Instance(
        id=launch.id,
        name=launch.name,
        queue=launch.queue,
        status=Status.PENDING,
        priority=launch.priority,
        attempts=0,
        max_attempts=launch.max_attempts,
        last_error=None,
        input=launch.input,
        output=None,
        idempotency_key=launch.idempotency_key,
        singleton_key=launch.singleton_key,
        cancel_requested=False,
        run_after=now,
        created_at=now,
        updated_at=now,
        started_at=None,
        finished_at=None,
    )
