"""What a worker writes about what it holds, or believes to hold."""

from service.domain.instance import ENDED, Claimed, Status
from service.domain.moves import ABORT, COMPLETE, FAIL, RETRY, Move
from service.domain.transitions import Progression, Settlement, Transition
from service.store.hooks import DueHook, FinishHook
from service.store.moves import LOST, Progress, Settle
from tests.store.properties.deed import Deed, Outcome
from tests.store.properties.snapshot import Row


class Moving(Deed):
    """A move under a fence, good or long lost."""

    repeatable = True

    def __init__(self, move: Transition) -> None:
        if isinstance(move, Progression):
            super().__init__(Progress(move))
        else:
            assert isinstance(move, Settlement)
            super().__init__(Settle(move))
        self.move = move

    def check(self, answer: object, outcome: Outcome) -> None:
        """Whoever holds the instance moves it; whoever lost it changes nothing."""
        before, after = outcome.row(self.move.held.id)
        if was_written(self.move, before):
            assert not outcome.alone or answer is self.move, "the first answer"
            if outcome.alone:
                outcome.nothing_changed()
            return
        right = right_move(self.move, before)
        if before is None or not holds(self.move.held, before) or (outcome.alone and right is None):
            assert answer is LOST
            if outcome.alone:
                outcome.nothing_changed()
            return
        if outcome.alone:
            assert after is not None
            assert right is not None
            self._check_row(right, before, after, outcome.now)
            self._check_answer(answer, right, outcome)
        elif answer is not LOST:
            assert isinstance(answer, Transition)
            told = [(event.instance_id, event.type) for event in outcome.events]
            assert (before.id, answer.move.event) in told

    def _check_answer(self, answer: object, right: Move, outcome: Outcome) -> None:
        if outcome.unheard and (right is ABORT or isinstance(self.move, Settlement)):
            assert answer is LOST, "it is held no more, and that is all its worker has to know"
        else:
            assert isinstance(answer, Transition)
            assert answer.move is right

    def _check_row(self, right: Move, before: Row, after: Row, now: int) -> None:
        move = self.move
        assert after.status == right.target
        assert after.fence == before.fence
        if right is ABORT or isinstance(move, Settlement):
            assert _checkpoint(after) == _checkpoint(before)
        if right is not move.move:
            return
        if isinstance(move, Progression):
            assert after.visit == before.visit + 1
            assert (after.attempts, after.losses) == (0, 0)
            assert _checkpoint(after)[:3] == (move.action, move.params, move.state)
            goes_on = right.target is Status.RUNNING
            assert after.run_after == (before.run_after if goes_on else now + move.delay)
        elif isinstance(move, Settlement):
            assert after.output == (move.output if right is COMPLETE else None)
            assert after.attempts == before.attempts + (right in {RETRY, FAIL})
            assert after.losses == before.losses
            if right.target not in ENDED and move.delay is not None:
                assert after.run_after == now + move.delay


class Finishing(Deed):
    """The end of a terminal hook's run, or its postponement."""

    def __init__(self, hook: DueHook, delay: int | None) -> None:
        super().__init__(FinishHook(hook=hook, delay=delay))
        self.hook = hook
        self.delay = delay

    def check(self, answer: object, outcome: Outcome) -> None:
        """Only who holds the hook may finish it."""
        assert answer is None
        if not outcome.alone:
            return
        kept = outcome.before.hooks.get(self.hook.id)
        if kept is None or (kept.instance_id, kept.fence) != (
            self.hook.instance_id,
            self.hook.fence,
        ):
            outcome.nothing_changed()
        elif self.delay is None:
            assert self.hook.id not in outcome.after.hooks
        else:
            assert outcome.after.hooks[self.hook.id].due == outcome.now + self.delay


def right_move(move: Transition, row: Row | None) -> Move | None:
    """Return the move that must come of it, None where the instance is not held any more."""
    if row is None or not holds(move.held, row):
        return None
    if row.cancel_requested and (move.move.yields or move.move is ABORT):
        return ABORT
    return None if move.move is ABORT else move.move


def was_written(move: Transition, row: Row | None) -> bool:
    """Return whether this is the move to the next action once more, under the same fence."""
    return (
        isinstance(move, Progression)
        and row is not None
        and (row.fence, row.visit) == (move.held.fence, move.held.visit + 1)
        and row.status == move.move.target
    )


def holds(held: Claimed, row: Row) -> bool:
    """Return whether it is still held under this fence, in this visit."""
    return (row.status, row.fence, row.visit) == (Status.RUNNING, held.fence, held.visit)


def _checkpoint(row: Row) -> tuple[object, ...]:
    return (row.action, row.params, row.state, row.visit)
