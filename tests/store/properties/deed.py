"""A write, and what must be true once it is answered."""

from dataclasses import dataclass
from typing import Any

from service.domain.cursor import decode
from service.domain.errors import WorkflowError
from service.domain.events import Event
from service.store.batch import Write
from tests.store.properties.snapshot import Row, Snapshot


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What was there before a write and after it, and whether others were written with it.

    `unheard` says that its first answer was lost, and that this is the answer to its repetition.
    """

    before: Snapshot
    after: Snapshot
    now: int
    alone: bool
    unheard: bool

    @property
    def events(self) -> list[Event]:
        """Return what was told in between."""
        return [event for event in self.after.events if event.position > self.before.head]

    def row(self, instance_id: str) -> tuple[Row | None, Row | None]:
        """Return an instance as it was, and as it is."""
        return self.before.rows.get(instance_id), self.after.rows.get(instance_id)

    def told_at(self, cursor: str) -> Event | None:
        """Return the event at which a cursor stands; None at the beginning of the log."""
        place = decode(cursor)
        assert self.after.pruned < place.position <= self.after.head or not place.position
        if not place.position:
            assert place.mark == self.after.origin
            return None
        event = self.after.events[place.position - self.after.pruned - 1]
        assert (event.position, event.mark) == (place.position, place.mark)
        return event

    def nothing_changed(self) -> None:
        """Hold that there is no difference at all."""
        assert self.before == self.after


class Deed:
    """`repeatable` says whether whoever did not hear its answer may do the very same once more."""

    repeatable = False

    def __init__(self, write: Write[Any]) -> None:
        self.write = write

    def check(self, answer: Any, outcome: Outcome) -> None:
        """Hold the answer, which may be a refusal, against what it changed."""
        raise NotImplementedError


def check_refusal(answer: object, kind: type[WorkflowError], outcome: Outcome) -> None:
    """Hold that it was refused as it had to be, and that the refusal changed nothing."""
    assert isinstance(answer, kind), answer
    outcome.nothing_changed()
