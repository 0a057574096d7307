"""Ending what doesn't run, and asking what runs to stop."""

from collections.abc import Sequence
from dataclasses import dataclass

from service.domain.errors import NotFound
from service.domain.events import Event
from service.domain.instance import CancelOutcome, Status
from service.domain.moves import ASK_TO_CANCEL, CANCEL
from service.store.answers import Answer
from service.store.batch import Batch, Write
from service.store.endings import Ending, follow_up
from service.store.reading import read, told_by_hand
from service.store.requests import Request, earlier_answer, keep_answer


@dataclass(slots=True, kw_only=True)
class Stopped(Answer):
    """What a cancel came to."""

    outcome: CancelOutcome


@dataclass(slots=True, kw_only=True)
class Cancel(Write[Stopped]):
    """Cancel one instance."""

    rank = 30

    instance_id: str
    request: Request
    touches: Sequence[object] = ()

    def __post_init__(self) -> None:
        self.touches = (*self.request.touches, ("instance", self.instance_id))

    def apply(self, batch: Batch) -> Stopped:
        """Cancel it, or ask its worker to, or find that it has ended."""
        answer = earlier_answer(batch, self.request)
        if answer is not None:
            outcome, cursor = answer
            return Stopped(
                instance=read(batch, self.instance_id),
                outcome=CancelOutcome(outcome),
                known_cursor=cursor,
            )
        outcome, event = stop(batch, self.instance_id, self.request.id)
        stopped = Stopped(instance=read(batch, self.instance_id), outcome=outcome, event=event)
        keep_answer(batch, self.request, lambda: [stopped.outcome, stopped.cursor])
        return stopped


def stop(batch: Batch, instance_id: str, request_id: str) -> tuple[CancelOutcome, Event | None]:
    """End the instance when it doesn't run, else ask it to stop; raises `NotFound`."""
    row = batch.tx.one(
        "cancel", (instance_id, *CANCEL.sources, CANCEL.target, batch.now, request_id)
    )
    if row is not None:
        *told, key, hooked = row
        event = batch.tell(told_by_hand(CANCEL, instance_id, (*told,)))
        follow_up(batch, [Ending(event, bool(hooked), key)])
        return CancelOutcome.CANCELLED, event
    row = batch.tx.one(
        "ask_to_cancel", (instance_id, *ASK_TO_CANCEL.sources, batch.now, request_id)
    )
    if row is not None:
        return CancelOutcome.REQUESTED, batch.tell(told_by_hand(ASK_TO_CANCEL, instance_id, row))
    found = batch.tx.one("status_of", (instance_id,))
    if found is None:
        raise NotFound(f"No instance has the id {instance_id!r}: it was pruned, or never was.")
    if found[0] == Status.RUNNING:
        return CancelOutcome.REQUESTED, None
    return CancelOutcome.ALREADY_ENDED, None
