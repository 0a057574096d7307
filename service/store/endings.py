"""What an ending leads to: a hook to run, and a blocked instance that may go."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic_core import to_json

from service.domain.events import Event
from service.store.batch import Batch


@dataclass(frozen=True, slots=True)
class Ending:
    """An instance that has just ended, as its event tells."""

    event: Event
    hooked: bool
    singleton_key: str | None


def follow_up(batch: Batch, endings: Sequence[Ending]) -> None:
    """Write what the endings lead to; an event's data tells which instance it `unblocked`."""
    hooked = [
        (e.event.instance_id, e.event.name, e.event.status, e.event.error, batch.now)
        for e in endings
        if e.hooked
    ]
    if hooked:
        batch.tx.run("insert_hook", hooked)
    keyed = [ending for ending in endings if ending.singleton_key is not None]
    if not keyed:
        return
    keys = [(ending.event.name, ending.singleton_key, batch.now) for ending in keyed]
    for ending, row in zip(keyed, batch.tx.many("unblock", keys), strict=True):
        if row is not None:
            ending.event.data = to_json({"unblocked": row[0]}).decode()
