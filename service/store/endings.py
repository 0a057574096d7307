"""What an ending leads to: a hook to run, and a blocked instance that may go."""

from dataclasses import dataclass

from service.domain.instance import Status
from service.store.batch import Batch


@dataclass(frozen=True, slots=True)
class Ending:
    """An instance that has just ended."""

    instance_id: str
    name: str
    status: Status
    error: str | None
    hooked: bool
    singleton_key: str | None


def follow_up(batch: Batch, endings: list[Ending]) -> None:
    """Write what the endings lead to."""
    hooked = [
        (each.instance_id, each.name, each.status, each.error, batch.now)
        for each in endings
        if each.hooked
    ]
    if hooked:
        batch.tx.run("insert_hook", hooked)
    keyed = [
        (each.name, each.singleton_key, batch.now)
        for each in endings
        if each.singleton_key is not None
    ]
    if keyed:
        batch.tx.run("unblock", keyed)
