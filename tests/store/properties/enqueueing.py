"""What callers start."""

from collections.abc import Sequence

from service.domain.errors import IdempotencyConflict, SingletonConflict, WorkflowError
from service.domain.events import EventType
from service.domain.instance import Launch, OnConflict, Status
from service.store.enqueue import Enqueue, Placed
from service.store.requests import Request
from tests.store.properties.deed import Deed, Outcome, check_refusal


class Enqueueing(Deed):
    """An enqueue of one instance, or of several that are all enqueued or none."""

    def __init__(self, launches: Sequence[Launch], request: Request) -> None:
        super().__init__(Enqueue(launches=launches, request=request))
        self.launches = launches
        self.repeatable = request.kept

    def check(self, answer: object, outcome: Outcome) -> None:
        """Its keys decide whether there is a new one, and who stands behind whom."""
        if isinstance(answer, IdempotencyConflict | SingletonConflict):
            assert not {launch.id for launch in self.launches} & set(outcome.after.rows)
        else:
            assert isinstance(answer, list), answer
            for launch, placed in zip(self.launches, answer, strict=True):
                _check_placed(launch, placed, outcome)
        if outcome.alone and len(self.launches) == 1:
            self._check_alone(self.launches[0], answer, outcome)

    def _check_alone(self, launch: Launch, answer: object, outcome: Outcome) -> None:
        right = _right(launch, outcome)
        if not isinstance(right, str):
            check_refusal(answer, right, outcome)
            return
        assert isinstance(answer, list)
        assert [placed.instance.id for placed in answer] == [right]
        if right != launch.id:
            if not outcome.unheard:
                assert outcome.before.rows == outcome.after.rows
            return
        row = outcome.after.rows[right]
        replaced = outcome.before.living(launch.name, launch.singleton_key)
        replaced = replaced if launch.singleton_key else []
        assert row.blocked == any(each.status == Status.RUNNING for each in replaced)
        for each in replaced:
            after = outcome.after.rows[each.id]
            assert after.cancel_requested or after.status == Status.CANCELLED


def _check_placed(launch: Launch, placed: Placed, outcome: Outcome) -> None:
    told = outcome.told_at(placed.cursor)
    assert placed.created == (placed.instance.id == launch.id)
    if placed.created:
        assert launch.id not in outcome.before.rows
        row = outcome.after.rows[launch.id]
        assert (row.name, row.queue, row.priority) == (launch.name, launch.queue, launch.priority)
        assert (row.input, row.action) == (launch.input, launch.action)
        assert told is not None
        assert (told.instance_id, told.type) == (launch.id, EventType.ENQUEUED)


def _right(launch: Launch, outcome: Outcome) -> str | type[WorkflowError]:
    """Return the instance that must be answered, or the refusal."""
    if launch.idempotency_key is not None:
        same = outcome.before.of_key(launch.name, launch.idempotency_key)
        if same is not None:
            return same.id if same.params_digest == launch.params_digest else IdempotencyConflict
    if launch.singleton_key is not None and launch.on_conflict is not OnConflict.REPLACE:
        living = outcome.before.living(launch.name, launch.singleton_key)
        if living:
            return living[0].id if launch.on_conflict is OnConflict.RETURN else SingletonConflict
    return launch.id
