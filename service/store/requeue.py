"""Putting an ended instance back, at its last checkpoint."""

from collections.abc import Sequence
from dataclasses import dataclass

from service.domain.errors import InvalidState, SingletonConflict
from service.domain.moves import REQUEUE
from service.store.answers import Answer
from service.store.batch import Batch, Write
from service.store.reading import hold_by_hand, read, told_by_hand
from service.store.requests import Request, earlier_answer, keep_answer


@dataclass(slots=True, kw_only=True)
class Requeue(Write[Answer]):
    """Requeue one instance that FAILED or was CANCELLED."""

    rank = 31

    instance_id: str
    request: Request
    touches: Sequence[object] = ()

    def __post_init__(self) -> None:
        self.touches = (*self.request.touches, ("instance", self.instance_id))

    @classmethod
    def foresee(cls, batch: Batch, writes: "Sequence[Requeue]") -> None:
        """Hold the instances, their keys and the requests."""
        batch.hold(keys=[key for write in writes for key in write.request.touches])
        hold_by_hand(batch, [write.instance_id for write in writes])

    def apply(self, batch: Batch) -> Answer:
        """Requeue it; refuse when it has not ended badly or its singleton key is held."""
        earlier = earlier_answer(batch, self.request)
        found = read(batch, self.instance_id)
        if earlier is not None:
            return Answer(instance=found, known_cursor=earlier)
        if found.status not in REQUEUE.sources:
            raise InvalidState(
                f"The instance is {found.status}; only one that FAILED or was CANCELLED can be "
                "retried. Enqueue a new one instead."
            )
        if found.singleton_key is not None:
            living = batch.tx.one("living_of_key", (found.name, found.singleton_key))
            if living is not None:
                raise SingletonConflict(
                    f"The instance {living[0]} of singleton key {found.singleton_key!r} has not "
                    "ended. Wait for it or cancel it, then retry this one."
                )
        row = batch.tx.one(
            "requeue",
            (self.instance_id, *REQUEUE.sources, REQUEUE.target, batch.now, self.request.id),
        )
        if row is None:
            raise InvalidState("The instance has moved on: read it again.")
        event = batch.tell(told_by_hand(REQUEUE, self.instance_id, (*row,)))
        answer = Answer(instance=read(batch, self.instance_id), event=event)
        keep_answer(batch, self.request, lambda: answer.cursor)
        return answer
