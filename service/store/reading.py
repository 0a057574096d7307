"""One instance, as the transaction that changes it sees it."""

from service.domain.errors import NotFound
from service.domain.events import Event
from service.domain.instance import Instance
from service.domain.moves import Move
from service.store import records
from service.store.batch import Batch


def read(batch: Batch, instance_id: str) -> Instance:
    """Return the instance; raises `NotFound`."""
    row = batch.tx.one("get_instance", (instance_id,))
    if row is None:
        raise NotFound(f"No instance has the id {instance_id!r}: it was pruned, or never was.")
    *columns, head, mark = row
    return records.instance(tuple(columns), head, mark)


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
