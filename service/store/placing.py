"""What becomes of a launch: a new instance, or the one that its keys already have."""

from collections.abc import Sequence
from dataclasses import dataclass

from service.domain import moves
from service.domain.errors import IdempotencyConflict, SingletonConflict, WorkflowError
from service.domain.events import Event
from service.domain.instance import Instance, Launch, OnConflict, Status
from service.store.answers import Answer
from service.store.batch import Batch


@dataclass(slots=True, kw_only=True)
class Placed(Answer):
    """The instance of an enqueue, and whether this one created it."""

    created: bool


@dataclass(frozen=True, slots=True)
class Found:
    """The instance that a key has; `living` when it is of a singleton key and has not ended."""

    id: str
    living: bool


Verdict = Found | WorkflowError | None


def find(batch: Batch, launches: Sequence[Launch]) -> list[Verdict]:
    """Return for each launch what its keys have, or why it is refused, or None for a new one."""
    verdicts: list[Verdict] = [None] * len(launches)
    keyed = [index for index, one in enumerate(launches) if one.idempotency_key is not None]
    keys = [(launches[index].name, launches[index].idempotency_key) for index in keyed]
    for index, row in zip(keyed, batch.tx.many("find_idempotent", keys), strict=True):
        if row is not None:
            verdicts[index] = _same_key(launches[index], str(row[0]), row[-1])
    alone = [
        index
        for index, one in enumerate(launches)
        if one.singleton_key is not None and verdicts[index] is None
    ]
    keys = [(launches[index].name, launches[index].singleton_key) for index in alone]
    for index, row in zip(alone, batch.tx.many("living_of_key", keys), strict=True):
        if row is not None:
            verdicts[index] = _living(launches[index], str(row[0]))
    return verdicts


def _same_key(launch: Launch, instance_id: str, digest: str) -> Verdict:
    if digest == launch.params_digest:
        return Found(instance_id, living=False)
    return IdempotencyConflict(
        f"The idempotency key {launch.idempotency_key!r} was used with other params, for "
        f"instance {instance_id}. Use a new key, or repeat the same params."
    )


def _living(launch: Launch, newest: str) -> Verdict:
    if launch.on_conflict is not OnConflict.REFUSE:
        return Found(newest, living=True)
    return SingletonConflict(
        f"The instance {newest} of singleton key {launch.singleton_key!r} has not ended. "
        "Wait for it, cancel it, or enqueue with onConflict RETURN or REPLACE."
    )


def insert(
    batch: Batch, launches: Sequence[tuple[Launch, str]], *, blocked: bool = False
) -> list[Placed]:
    """Write new instances, each with the request that it came by."""
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
