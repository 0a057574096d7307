"""One move of one instance, made by a named constructor, so that no wrong one can be built.

The store writes it with one guarded UPDATE and stamps it with the time of its transaction. Delays
are in microseconds.
"""

from dataclasses import dataclass

from service.domain.events import Event
from service.domain.instance import Claimed, Failure
from service.domain.moves import (
    ABORT,
    CHECKPOINT,
    COMPLETE,
    FAIL,
    GIVE_UP,
    HAND_OVER,
    RECLAIM,
    RELEASE,
    RETRY,
    WORKER_LOST,
    Move,
)


@dataclass(slots=True, kw_only=True)
class Transition:
    """What every move by a worker carries: its identity, and the event that tells of it."""

    move: Move
    held: Claimed
    event: Event


@dataclass(slots=True, kw_only=True)
class Progression(Transition):
    """A move on to the next action: a checkpoint, or a hand over that is due after `delay`."""

    action: str
    params: str
    state: str | None
    max_attempts: int
    delay: int


@dataclass(slots=True, kw_only=True)
class Settlement(Transition):
    """A move out of RUNNING that leaves action, params and state where the checkpoint put them."""

    attempts: int
    losses: int
    delay: int | None = None
    output: str | None = None
    failure: Failure | None = None


def event_of(
    move: Move,
    held: Claimed,
    *,
    action: str | None = None,
    error: str | None = None,
    data: str | None = None,
) -> Event:
    """Return the event that tells of the move."""
    return Event(
        type=move.event,
        instance_id=held.id,
        name=held.name,
        queue=held.queue,
        status=move.target,
        action=action or held.action,
        attempt=held.attempts + 1,
        error=error,
        data=data,
    )


def checkpoint(
    held: Claimed,
    *,
    action: str,
    params: str,
    state: str | None,
    max_attempts: int,
) -> Progression:
    """Go on to the next action at once, under the same lease."""
    return _progression(CHECKPOINT, held, action, params, state, max_attempts, 0)


def hand_over(
    held: Claimed,
    *,
    action: str,
    params: str,
    state: str | None,
    max_attempts: int,
    delay: int,
) -> Progression:
    """Go back to the queue until the next action is due."""
    return _progression(HAND_OVER, held, action, params, state, max_attempts, delay)


def complete(held: Claimed, output: str) -> Settlement:
    """End well."""
    return Settlement(
        move=COMPLETE,
        held=held,
        event=event_of(COMPLETE, held),
        attempts=held.attempts,
        losses=held.losses,
        output=output,
    )


def retry(held: Claimed, failure: Failure, delay: int) -> Settlement:
    """Go back to the queue and wait out the backoff."""
    return Settlement(
        move=RETRY,
        held=held,
        event=event_of(RETRY, held, error=failure.summary),
        attempts=held.attempts + 1,
        losses=held.losses,
        delay=delay,
        failure=failure,
    )


def fail(held: Claimed, failure: Failure) -> Settlement:
    """End badly."""
    return Settlement(
        move=FAIL,
        held=held,
        event=event_of(FAIL, held, error=failure.summary),
        attempts=held.attempts + 1,
        losses=held.losses,
        failure=failure,
    )


def abort(held: Claimed) -> Settlement:
    """End because a cancel was requested."""
    return Settlement(
        move=ABORT,
        held=held,
        event=event_of(ABORT, held),
        attempts=held.attempts,
        losses=held.losses,
    )


def release(held: Claimed) -> Settlement:
    """Give it back untouched, since this worker is stopping."""
    return Settlement(
        move=RELEASE,
        held=held,
        event=event_of(RELEASE, held),
        attempts=held.attempts,
        losses=held.losses,
        delay=0,
    )


def reclaim(held: Claimed) -> Settlement:
    """Take it from a worker that is gone: back to the queue, or its end when losses are spent."""
    losses = held.losses + 1
    if losses <= held.max_lost:
        return Settlement(
            move=RECLAIM,
            held=held,
            event=event_of(RECLAIM, held),
            attempts=held.attempts,
            losses=losses,
            delay=0,
        )
    message = f"{WORKER_LOST}: {losses} of them stopped while they held this action"
    return Settlement(
        move=GIVE_UP,
        held=held,
        event=event_of(GIVE_UP, held, error=message),
        attempts=held.attempts,
        losses=losses,
        failure=Failure(
            instance_id=held.id,
            fence=held.fence,
            visit=held.visit,
            action=held.action,
            attempt=held.attempts + 1,
            error_type="WorkerLost",
            message=message,
        ),
    )


def _progression(
    move: Move,
    held: Claimed,
    action: str,
    params: str,
    state: str | None,
    max_attempts: int,
    delay: int,
) -> Progression:
    event = event_of(move, held, action=action)
    event.attempt = 1
    return Progression(
        move=move,
        held=held,
        event=event,
        action=action,
        params=params,
        state=state,
        max_attempts=max_attempts,
        delay=delay,
    )
