"""Writes of a test's own, which note with whom they were written."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from service.domain.errors import InvalidState
from service.domain.events import Event, EventType
from service.domain.instance import Status
from service.store.batch import Batch, Write


def event(name: str, instance_id: str = "i") -> Event:
    return Event(
        type=EventType.STARTED,
        instance_id=instance_id,
        name=name,
        queue="q",
        status=Status.RUNNING,
    )


@dataclass(slots=True, kw_only=True)
class Note(Write[Batch]):
    """Tells of itself, and answers with the batch that it was written in."""

    rank = 50

    name: str = "note"
    touches: Sequence[object] = field(default=())

    def apply(self, batch: Batch) -> Batch:
        batch.tell(event(self.name))
        return batch


@dataclass(slots=True, kw_only=True)
class Early(Note):
    """Is written before any `Note`."""

    rank = 5


@dataclass(slots=True, kw_only=True)
class Slow(Note):
    """Says that it is being written, and waits to be let go."""

    begun: threading.Event = field(default_factory=threading.Event)
    release: threading.Event = field(default_factory=threading.Event)

    def apply(self, batch: Batch) -> Batch:
        self.begun.set()
        self.release.wait(10)
        return Note.apply(self, batch)


@dataclass(slots=True, kw_only=True)
class Refused(Note):
    """Is refused."""

    rank = 40

    def apply(self, batch: Batch) -> Batch:
        raise InvalidState("Not so.")


@dataclass(slots=True, kw_only=True)
class Broken(Note):
    """Breaks the transaction that it is in, after it wrote something."""

    rank = 60

    def apply(self, batch: Batch) -> Batch:
        batch.tx.run("pause_queue", [(self.name, True)])
        batch.tell(event(self.name))
        raise ZeroDivisionError(self.name)
