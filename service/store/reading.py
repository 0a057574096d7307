"""Instances, as the transaction that changes them sees them."""

from collections.abc import Sequence

from service.domain.errors import NotFound
from service.domain.events import Event
from service.domain.instance import Instance
from service.domain.moves import Move
from service.store import records
from service.store.batch import Batch
from service.store.database import Row


def read(batch: Batch, instance_id: str) -> Instance:
    """Return the instance; raises `NotFound`."""
    (found,) = read_many(batch, [instance_id])
    if isinstance(found, NotFound):
        raise found
    return found


def read_many(batch: Batch, ids: Sequence[str]) -> list[Instance | NotFound]:
    """Return each instance, or that there is none."""
    rows = batch.tx.many("get_instance", [(each,) for each in ids])
    return [_instance(each, row) for each, row in zip(ids, rows, strict=True)]


def not_found(instance_id: str) -> NotFound:
    """Return the refusal of an id that no instance has."""
    return NotFound(f"No instance has the id {instance_id!r}: it was pruned, or never was.")


def told_by_hand(move: Move, instance_id: str, row: tuple[str, str, str, int]) -> Event:
    """Return the event of a caller's move; `row` is name, queue, action, attempts."""
    name, queue, action, attempts = row
    return Event(
        type=move.event,
        instance_id=instance_id,
        name=name,
        queue=queue,
        status=move.target,
        action=action,
        attempt=attempts + 1,
    )


def hold_by_hand(batch: Batch, ids: Sequence[str]) -> None:
    """Hold the instances that callers name, and the singleton keys that they stand under."""
    rows = batch.tx.many("singleton_of", [(each,) for each in ids])
    keys = [("singleton", row[0], row[1]) for row in rows if row is not None]
    batch.hold(keys=keys, instances=ids)


def _instance(instance_id: str, row: Row | None) -> Instance | NotFound:
    return not_found(instance_id) if row is None else records.with_cursor(row)
