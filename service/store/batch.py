"""One transaction's worth of writes: what they tell, and the order in which it is done.

First every kind of write says what it will touch, and all of that is locked at once, in one order;
then the writes of one kind run together, kinds in the order of their rank; the log is written last.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
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
        self._queues: set[str] = set()
        self._keys: set[object] = set()
        self._instances: set[str] = set()
        self._before: Callable[[], int] | None = None

    def hold(
        self,
        *,
        queues: Iterable[str] = (),
        keys: Iterable[object] = (),
        instances: Iterable[str] = (),
    ) -> None:
        """Say what is going to be touched; it is locked before anything is written."""
        self._queues.update(queues)
        self._keys.update(keys)
        self._instances.update(instances)

    def lock(self) -> None:
        """Lock all that was said to be touched; time that passed for that counts."""
        if self._queues or self._keys or self._instances:
            self.tx.lock(
                queues=sorted(self._queues),
                keys=list(self._keys),
                instances=sorted(self._instances),
            )
            self.now = self.tx.now

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
            rows = [_row(event) for event in self.events]
            self._before = self.tx.append(rows, self.events[-1].mark)
        if self._after_log:
            self.place()
            for work in self._after_log:
                work()

    def place(self) -> None:
        """Give every event its position; after the commit at the latest."""
        if self._before is not None:
            for position, event in enumerate(self.events, self._before() + 1):
                event.position = position
            self._before = None


class Write(Generic[T]):
    """Something to be written, alone or with others, that is answered with a `T`.

    `touches` names the instances and keys that it changes: two writes that touch one thing never
    share a transaction.
    """

    rank: ClassVar[int]
    touches: Sequence[object] = ()

    @classmethod
    def foresee(cls, batch: Batch, writes: Sequence[Any]) -> None:
        """Say what they will touch. It may read, which proves nothing until it is locked."""

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


def perform(tx: Transaction, writes: Sequence[Write[Any]]) -> tuple[list[Any], Batch]:
    """Write them all; return each one's answer, and the batch to `place` after the commit."""
    batch = Batch(tx)
    kinds: defaultdict[type[Write[Any]], list[int]] = defaultdict(list)
    for index, write in enumerate(writes):
        kinds[type(write)].append(index)
    for kind, indexes in kinds.items():
        kind.foresee(batch, [writes[index] for index in indexes])
    batch.lock()
    answers: list[Any] = [None] * len(writes)
    for kind in sorted(kinds, key=lambda kind: kind.rank):
        indexes = kinds[kind]
        for index, answer in zip(
            indexes, kind.perform(batch, [writes[index] for index in indexes]), strict=True
        ):
            answers[index] = answer
    batch.close()
    return answers, batch


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
    )
