"""What callers ask for: cancel, requeue, pause."""

from service.domain.errors import InvalidState, NotFound, SingletonConflict
from service.domain.instance import CancelOutcome, Status
from service.store.answers import Answer
from service.store.cancel import Cancel, Stopped
from service.store.queues import DeclareQueues, Pause
from service.store.requests import Request
from service.store.requeue import Requeue
from tests.store.properties.deed import Deed, Outcome, check_refusal
from tests.store.properties.snapshot import Row


class Cancelling(Deed):
    """A cancel of one instance."""

    def __init__(self, instance_id: str, request: Request) -> None:
        super().__init__(Cancel(instance_id=instance_id, request=request))
        self.instance_id = instance_id
        self.repeatable = request.kept

    def check(self, answer: object, outcome: Outcome) -> None:
        """It ends what doesn't run, asks what runs, and changes nothing that has ended."""
        if not outcome.alone:
            assert isinstance(answer, Stopped | NotFound), answer
            return
        before, after = outcome.row(self.instance_id)
        if before is None:
            check_refusal(answer, NotFound, outcome)
            return
        assert isinstance(answer, Stopped)
        assert after is not None
        told = outcome.told_at(answer.cursor)
        if outcome.events:
            assert told in outcome.events
        if before.ended:
            assert answer.outcome is CancelOutcome.ALREADY_ENDED
            assert after == before
        elif before.status == Status.RUNNING:
            assert answer.outcome is CancelOutcome.REQUESTED
            assert (after.status, after.cancel_requested) == (Status.RUNNING, 1)
        else:
            assert answer.outcome is CancelOutcome.CANCELLED
            assert after.status == Status.CANCELLED


class Requeueing(Deed):
    """A requeue of one instance."""

    def __init__(self, instance_id: str, request: Request) -> None:
        super().__init__(Requeue(instance_id=instance_id, request=request))
        self.instance_id = instance_id
        self.repeatable = request.kept

    def check(self, answer: object, outcome: Outcome) -> None:
        """It puts a bad end back at its last checkpoint, unless its key is held."""
        if not outcome.alone:
            assert isinstance(answer, Answer | NotFound | InvalidState | SingletonConflict), answer
            return
        before, after = outcome.row(self.instance_id)
        if before is None:
            check_refusal(answer, NotFound, outcome)
        elif before.status not in {Status.FAILED, Status.CANCELLED}:
            check_refusal(answer, InvalidState, outcome)
        elif before.singleton_key and outcome.before.living(before.name, before.singleton_key):
            check_refusal(answer, SingletonConflict, outcome)
        else:
            assert isinstance(answer, Answer)
            assert after is not None
            assert outcome.told_at(answer.cursor) in outcome.events
            assert after.status == Status.PENDING
            assert (after.ready, after.attempts, after.losses) == (1, 0, 0)
            assert not after.cancel_requested
            assert _checkpoint(after) == _checkpoint(before)


class Pausing(Deed):
    """A pause of one queue, or the end of it."""

    def __init__(self, queue: str, request: Request, *, paused: bool) -> None:
        super().__init__(Pause(name=queue, paused=paused, request=request))
        self.queue = queue
        self.paused = paused
        self.repeatable = request.kept

    def check(self, answer: object, outcome: Outcome) -> None:
        """The queue is as it was asked to be."""
        assert answer is None
        if outcome.alone:
            assert outcome.after.queues[self.queue].paused == self.paused


class Declaring(Deed):
    """What a program says of its queues when it starts."""

    repeatable = True
    write: DeclareQueues

    def check(self, answer: object, outcome: Outcome) -> None:
        """Pauses and spent tokens stay."""
        assert answer is None
        for policy in self.write.policies:
            after = outcome.after.queues[policy.name]
            assert after.concurrency == policy.concurrency
            before = outcome.before.queues.get(policy.name)
            if before is not None:
                assert (after.paused, after.arrival) == (before.paused, before.arrival)


def _checkpoint(row: Row) -> tuple[object, ...]:
    return (row.action, row.params, row.input, row.state, row.visit, row.fence, row.max_attempts)
