"""The moves that a worker makes with what it holds, each under its fence."""

from collections.abc import Sequence
from dataclasses import dataclass

from service.domain.instance import ENDED, Claimed, Status
from service.domain.moves import ABORT
from service.domain.transitions import Progression, Settlement, Transition, abort
from service.store.batch import Batch, Write
from service.store.database import Params
from service.store.endings import Ending, follow_up


class Lost:
    """The answer to a worker that no longer holds the instance: it can write nothing."""


LOST = Lost()
Moved = Transition | Lost
"""What was written: the move, or the abort that took its place, or nothing."""


def _keys(held: Claimed) -> tuple[object, ...]:
    key = held.singleton_key
    return () if key is None else (("singleton", held.name, key),)


def _touches(move: Transition) -> Sequence[object]:
    return (("instance", move.held.id), *_keys(move.held))


def hold(batch: Batch, held: Sequence[Claimed]) -> None:
    """Hold what a worker's moves touch: an ending frees who stands behind its key."""
    batch.hold(
        instances=[each.id for each in held], keys=[key for each in held for key in _keys(each)]
    )


@dataclass(slots=True)
class Progress(Write[Moved]):
    """A checkpoint or a hand over."""

    rank = 10

    move: Progression
    touches: Sequence[object] = ()

    def __post_init__(self) -> None:
        self.touches = _touches(self.move)

    @classmethod
    def foresee(cls, batch: Batch, writes: "Sequence[Progress]") -> None:
        """Hold the instances and their keys."""
        hold(batch, [write.move.held for write in writes])

    @classmethod
    def perform(cls, batch: Batch, writes: "Sequence[Progress]") -> Sequence[Moved]:
        """Write them together; where a cancel was requested, an abort takes the place.

        One whose answer was lost is written again: it changes nothing, and is answered as before.
        """
        moves = [write.move for write in writes]
        written = batch.tx.many("progress", [_progress(batch, move) for move in moves])
        answers = _tell(batch, moves, [row is not None for row in written])
        missed = [index for index, answer in enumerate(answers) if answer is LOST]
        rows = batch.tx.many("progressed", [_identity(moves[index]) for index in missed])
        for index, row in zip(missed, rows, strict=True):
            if row is not None:
                answers[index] = moves[index]
        return answers


@dataclass(slots=True)
class Settle(Write[Moved]):
    """A move out of RUNNING."""

    rank = 11

    move: Settlement
    touches: Sequence[object] = ()

    def __post_init__(self) -> None:
        self.touches = _touches(self.move)

    @classmethod
    def foresee(cls, batch: Batch, writes: "Sequence[Settle]") -> None:
        """Hold the instances and their keys."""
        hold(batch, [write.move.held for write in writes])

    @classmethod
    def perform(cls, batch: Batch, writes: "Sequence[Settle]") -> Sequence[Moved]:
        """Write them together; where a cancel was requested, an abort takes the place."""
        return settle(batch, [write.move for write in writes])


def settle(batch: Batch, moves: Sequence[Settlement]) -> list[Moved]:
    """Write them; where a cancel was requested, an abort takes the place of what yields."""
    written = batch.tx.many("settle", [_settle(batch, move) for move in moves])
    answers = _tell(batch, moves, [row is not None for row in written])
    failures = [
        (f.instance_id, f.fence, f.visit, f.action, f.attempt, f.error_type, f.message, batch.now)
        for answer in answers
        if isinstance(answer, Settlement) and (f := answer.failure) is not None
    ]
    if failures:
        batch.tx.run("insert_failure", failures)
    return answers


def _tell(batch: Batch, moves: Sequence[Transition], written: Sequence[bool]) -> list[Moved]:
    answers: list[Moved] = [
        move if done else LOST for move, done in zip(moves, written, strict=True)
    ]
    missed = [index for index, move in enumerate(moves) if move.move.yields and not written[index]]
    if missed:
        aborts = [abort(moves[index].held) for index in missed]
        rows = batch.tx.many("settle", [_settle(batch, move) for move in aborts])
        for index, move, row in zip(missed, aborts, rows, strict=True):
            if row is not None:
                answers[index] = move
    moved = [answer for answer in answers if isinstance(answer, Transition)]
    for move in moved:
        batch.tell(move.event)
    follow_up(batch, [_ending(move) for move in moved if move.move.target in ENDED])
    return answers


def _ending(move: Transition) -> Ending:
    return Ending(move.event, move.held.hooked, move.held.singleton_key)


def _progress(batch: Batch, move: Progression) -> Params:
    held = move.held
    return (
        held.id,
        held.fence,
        held.visit,
        *move.move.sources,
        move.move.target,
        move.action,
        move.params,
        move.state,
        move.max_attempts,
        batch.now + move.delay if move.move.target is Status.PENDING else None,
        move.move.target is Status.PENDING and move.delay == 0,
        batch.now,
    )


def _identity(move: Progression) -> Params:
    return (move.held.id, move.held.fence, move.held.visit, move.move.target)


def _settle(batch: Batch, move: Settlement) -> Params:
    held = move.held
    ended = move.move.target in ENDED
    # A cancel request is compared with what the move takes: none, any, or one at least.
    least = 1 if move.move is ABORT else 0
    most = 0 if move.move.yields else 1
    return (
        held.id,
        held.fence,
        held.visit,
        *move.move.sources,
        least,
        most,
        move.move.target,
        move.attempts,
        move.losses,
        None if move.delay is None else batch.now + move.delay,
        move.delay == 0,
        move.output,
        move.event.error,
        batch.now,
        batch.now if ended else None,
    )
