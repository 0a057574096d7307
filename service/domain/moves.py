"""Every move that an instance may make, each spelled once.

The store decides nothing: a row changes its status by one of these or not at all. The table in
`docs/lifecycle.md` is printed from here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from service.domain.events import EventType
from service.domain.instance import Status

WORKER_LOST = "worker lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A move: from where, to where, what tells of it, and what guards it.

    `yields` moves become an abort when a cancel was requested before they are written.
    """

    name: str
    sources: tuple[Status, ...]
    target: Status
    event: EventType
    guard: str
    yields: bool = False


ENQUEUE = Move(
    name="enqueue",
    sources=(),
    target=Status.PENDING,
    event=EventType.ENQUEUED,
    guard="idempotency and singleton keys are free",
)
CLAIM = Move(
    name="claim",
    sources=(Status.PENDING,),
    target=Status.RUNNING,
    event=EventType.STARTED,
    guard="due, not blocked, queue not paused, cap and tokens left, workflow registered; fence + 1",
)
CHECKPOINT = Move(
    name="checkpoint",
    sources=(Status.RUNNING,),
    target=Status.RUNNING,
    event=EventType.CHECKPOINT,
    guard="fence, visit",
    yields=True,
)
HAND_OVER = Move(
    name="hand over",
    sources=(Status.RUNNING,),
    target=Status.PENDING,
    event=EventType.CHECKPOINT,
    guard="fence, visit; the next action is due later, or the worker is stopping",
    yields=True,
)
COMPLETE = Move(
    name="complete",
    sources=(Status.RUNNING,),
    target=Status.COMPLETED,
    event=EventType.COMPLETED,
    guard="fence, visit; the worker has not delivered a cancel",
)
RETRY = Move(
    name="retry",
    sources=(Status.RUNNING,),
    target=Status.PENDING,
    event=EventType.RETRYING,
    guard="fence, visit; attempts left; due after the backoff",
    yields=True,
)
FAIL = Move(
    name="fail",
    sources=(Status.RUNNING,),
    target=Status.FAILED,
    event=EventType.FAILED,
    guard="fence, visit; attempts spent, or the error is not to be retried",
    yields=True,
)
CANCEL = Move(
    name="cancel",
    sources=(Status.PENDING, Status.WAITING),
    target=Status.CANCELLED,
    event=EventType.CANCELLED,
    guard="–",
)
ASK_TO_CANCEL = Move(
    name="ask to cancel",
    sources=(Status.RUNNING,),
    target=Status.RUNNING,
    event=EventType.CANCEL_REQUESTED,
    guard="not asked before; noticed within a second by the worker that holds it",
)
ABORT = Move(
    name="abort",
    sources=(Status.RUNNING,),
    target=Status.CANCELLED,
    event=EventType.CANCELLED,
    guard="fence; a cancel was requested",
)
RECLAIM = Move(
    name="reclaim",
    sources=(Status.RUNNING,),
    target=Status.PENDING,
    event=EventType.RECLAIMED,
    guard="lease expired, losses left; counts a lost worker",
    yields=True,
)
GIVE_UP = Move(
    name="give up",
    sources=(Status.RUNNING,),
    target=Status.FAILED,
    event=EventType.FAILED,
    guard=f"lease expired, losses spent: FAILED “{WORKER_LOST}”",
    yields=True,
)
RELEASE = Move(
    name="release",
    sources=(Status.RUNNING,),
    target=Status.PENDING,
    event=EventType.RELEASED,
    guard="fence; graceful stop; counts nothing",
    yields=True,
)
REQUEUE = Move(
    name="requeue",
    sources=(Status.FAILED, Status.CANCELLED),
    target=Status.PENDING,
    event=EventType.REQUEUED,
    guard="asked for by hand; singleton key free",
)

MOVES: Sequence[Move] = (
    ENQUEUE,
    CLAIM,
    CHECKPOINT,
    HAND_OVER,
    COMPLETE,
    RETRY,
    FAIL,
    CANCEL,
    ASK_TO_CANCEL,
    ABORT,
    RECLAIM,
    GIVE_UP,
    RELEASE,
    REQUEUE,
)
