"""One transaction's worth of writes: what they tell, and the order in which it is done.

Writes of one kind run together, kinds in the order of their rank, so that locks are always taken
in one order; the log is written last.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from service.domain.errors import WorkflowError
from service.domain.events import Event
from service.store.database import Transaction

T = TypeVar("T")


class Batch:
    """The transaction that a group of writes shares, and the events that they tell."""

    def __init__(self, tx: Transaction) -> None:
        self.tx = tx
        self.now = tx.now
        self.events: list[Event] = []
        self._after_log: list[Callable[[], None]] = []

    def tell(self, event: Event) -> Event:
        """Note an event; it gets its position when the log is written."""
        event.at = self.now
        self.events.append(event)
        return event

    def forget(self, count: int) -> None:
        """Take back what was told after the first `count` events."""
        del self.events[count:]

    def after_log(self, work: Callable[[], None]) -> None:
        """Run `work` when every event has its position."""
        self._after_log.append(work)

    def close(self) -> None:
        """Write the log: positions follow the head that nobody else can move until the commit."""
        if self.events:
            row = self.tx.one("head")
            if row is None:
                raise LookupError("The log has no row: the database was not migrated.")
            head: int = row[0]
            for position, event in enumerate(self.events, head + 1):
                event.position = position
            self.tx.run("insert_event", [_row(event) for event in self.events])
            last = self.events[-1]
            self.tx.run("advance_head", [(last.position, last.mark)])
            self.tx.announce(last.position)
        for work in self._after_log:
            work()


class Write(Generic[T]):
    """Something to be written, alone or with others, that is answered with a `T`.

    `touches` names the instances and keys that it changes: two writes that touch one thing never
    share a transaction.
    """

    rank: ClassVar[int]
    touches: Sequence[object] = ()

    @classmethod
    def perform(cls, batch: Batch, writes: Sequence[Any]) -> Sequence[T | WorkflowError]:
        """Write all of them, each one of `cls`; a refusal is an answer, never an exception."""
        return [attempt(batch, write) for write in writes]

    def apply(self, batch: Batch) -> T:
        """Write it; raise a `WorkflowError` before anything is written to refuse it."""
        raise NotImplementedError


def attempt(batch: Batch, write: Write[T]) -> T | WorkflowError:
    """Apply one write and return its answer or its refusal."""
    try:
        return write.apply(batch)
    except WorkflowError as refusal:
        return refusal


def perform(tx: Transaction, writes: Sequence[Write[Any]]) -> tuple[list[Any], list[Event]]:
    """Write them all; return each one's answer, and the events in the order of the log."""
    batch = Batch(tx)
    kinds: defaultdict[type[Write[Any]], list[int]] = defaultdict(list)
    for index, write in enumerate(writes):
        kinds[type(write)].append(index)
    answers: list[Any] = [None] * len(writes)
    for kind in sorted(kinds, key=lambda kind: kind.rank):
        indexes = kinds[kind]
        for index, answer in zip(
            indexes, kind.perform(batch, [writes[index] for index in indexes]), strict=True
        ):
            answers[index] = answer
    batch.close()
    return answers, batch.events


def _row(event: Event) -> tuple[object, ...]:
    return (
        event.type,
        event.instance_id,
        event.name,
        event.queue,
        event.status,
        event.action,
        event.step,
        event.attempt,
        event.error,
        event.data,
        event.at,
        event.position,
    )
