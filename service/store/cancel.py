"""Ending what doesn't run, and asking what runs to stop."""

from collections.abc import Sequence
from dataclasses import dataclass

from service.domain.errors import NotFound, WorkflowError
from service.domain.events import Event
from service.domain.instance import CancelOutcome, Status
from service.domain.moves import ASK_TO_CANCEL, CANCEL
from service.store.answers import Answer
from service.store.batch import Batch, Write
from service.store.database import Row
from service.store.endings import Ending, follow_up
from service.store.reading import hold_by_hand, not_found, read_many, told_by_hand
from service.store.requests import Request, earlier_answers, keep_answer


@dataclass(slots=True, kw_only=True)
class Stopped(Answer):
    """What a cancel came to."""

    outcome: CancelOutcome


Stop = tuple[CancelOutcome, Event | None]


@dataclass(slots=True, kw_only=True)
class Cancel(Write[Stopped]):
    """Cancel one instance."""

    rank = 30

    instance_id: str
    request: Request
    touches: Sequence[object] = ()

    def __post_init__(self) -> None:
        self.touches = (*self.request.touches, ("instance", self.instance_id))

    @classmethod
    def foresee(cls, batch: Batch, writes: "Sequence[Cancel]") -> None:
        """Hold the instances, their keys and the requests."""
        batch.hold(keys=[key for write in writes for key in write.request.touches])
        hold_by_hand(batch, [write.instance_id for write in writes])

    @classmethod
    def perform(cls, batch: Batch, writes: "Sequence[Cancel]") -> Sequence[Stopped | WorkflowError]:
        """Cancel each, or ask its worker to, or find that it has ended."""
        earlier = earlier_answers(batch, [write.request for write in writes])
        fresh = [write for write, answer in zip(writes, earlier, strict=True) if answer is None]
        stops = iter(stop(batch, [(write.instance_id, write.request.id) for write in fresh]))
        found = read_many(batch, [write.instance_id for write in writes])
        answers: list[Stopped | WorkflowError] = []
        for write, answer, instance in zip(writes, earlier, found, strict=True):
            stopped = next(stops) if answer is None else answer
            if isinstance(stopped, WorkflowError):
                answers.append(stopped)
            elif isinstance(instance, WorkflowError):
                answers.append(instance)
            elif answer is None:
                outcome, event = stopped
                new = Stopped(instance=instance, outcome=outcome, event=event)
                _keep(batch, write.request, new)
                answers.append(new)
            else:
                outcome, cursor = answer
                answers.append(
                    Stopped(instance=instance, outcome=CancelOutcome(outcome), known_cursor=cursor)
                )
        return answers


def stop(batch: Batch, asked: Sequence[tuple[str, str]]) -> list[Stop | NotFound]:
    """End each instance that doesn't run, else ask it to stop; by (id, request), each id once."""
    found: dict[str, Stop | NotFound] = {}
    params = [
        (instance_id, *CANCEL.sources, CANCEL.target, batch.now, request)
        for instance_id, request in asked
    ]
    endings: list[Ending] = []
    for (instance_id, _), row in zip(asked, batch.tx.many("cancel", params), strict=True):
        if row is not None:
            *told, key, hooked = row
            event = batch.tell(told_by_hand(CANCEL, instance_id, (*told,)))
            endings.append(Ending(event, bool(hooked), key))
            found[instance_id] = (CancelOutcome.CANCELLED, event)
    follow_up(batch, endings)
    left = [each for each in asked if each[0] not in found]
    params = [
        (instance_id, *ASK_TO_CANCEL.sources, batch.now, request) for instance_id, request in left
    ]
    for (instance_id, _), row in zip(left, batch.tx.many("ask_to_cancel", params), strict=True):
        if row is not None:
            event = batch.tell(told_by_hand(ASK_TO_CANCEL, instance_id, (*row,)))
            found[instance_id] = (CancelOutcome.REQUESTED, event)
    left = [each for each in left if each[0] not in found]
    rows = batch.tx.many("status_of", [(instance_id,) for instance_id, _ in left])
    for (instance_id, _), row in zip(left, rows, strict=True):
        found[instance_id] = _unmoved(instance_id, row)
    return [found[instance_id] for instance_id, _ in asked]


def _unmoved(instance_id: str, row: Row | None) -> Stop | NotFound:
    if row is None:
        return not_found(instance_id)
    running = row[0] == Status.RUNNING
    return (CancelOutcome.REQUESTED if running else CancelOutcome.ALREADY_ENDED, None)


def _keep(batch: Batch, request: Request, stopped: Stopped) -> None:
    keep_answer(batch, request, lambda: [stopped.outcome, stopped.cursor])
