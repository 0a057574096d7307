from collections import defaultdict

import pytest

from service.domain.events import TERMINAL, EventType
from service.domain.instance import ENDED, LIVE, Status
from service.domain.moves import (
    ABORT,
    ASK_TO_CANCEL,
    CANCEL,
    CHECKPOINT,
    CLAIM,
    COMPLETE,
    ENQUEUE,
    FAIL,
    GIVE_UP,
    HAND_OVER,
    MOVES,
    RECLAIM,
    RELEASE,
    REQUEUE,
    RETRY,
    Move,
)

LIFECYCLE = {
    "enqueue": ("", "PENDING", "ENQUEUED"),
    "claim": ("PENDING", "RUNNING", "STARTED"),
    "checkpoint": ("RUNNING", "RUNNING", "CHECKPOINT"),
    "hand over": ("RUNNING", "PENDING", "CHECKPOINT"),
    "complete": ("RUNNING", "COMPLETED", "COMPLETED"),
    "retry": ("RUNNING", "PENDING", "RETRYING"),
    "fail": ("RUNNING", "FAILED", "FAILED"),
    "cancel": ("PENDING WAITING", "CANCELLED", "CANCELLED"),
    "ask to cancel": ("RUNNING", "RUNNING", "CANCEL_REQUESTED"),
    "abort": ("RUNNING", "CANCELLED", "CANCELLED"),
    "reclaim": ("RUNNING", "PENDING", "RECLAIMED"),
    "give up": ("RUNNING", "FAILED", "FAILED"),
    "release": ("RUNNING", "PENDING", "RELEASED"),
    "requeue": ("FAILED CANCELLED", "PENDING", "REQUEUED"),
}


def test_these_are_all_the_moves() -> None:
    told = {
        each.name: (" ".join(each.sources), str(each.target), str(each.event)) for each in MOVES
    }
    assert told == LIFECYCLE
    assert len(MOVES) == len(LIFECYCLE)


def test_terminal_is_terminal_but_for_a_requeue() -> None:
    out_of_an_end = [move for move in MOVES if ENDED & set(move.sources)]
    assert out_of_an_end == [REQUEUE]
    assert Status.COMPLETED not in REQUEUE.sources


@pytest.mark.parametrize("move", MOVES, ids=lambda move: move.name)
def test_an_end_and_only_an_end_is_told_by_a_terminal_event(move: Move) -> None:
    assert (move.target in ENDED) == (move.event in TERMINAL)
    if move.event in TERMINAL:
        assert move.event.value == move.target.value


def test_a_cancel_request_takes_the_place_of_all_but_completing() -> None:
    assert {move for move in MOVES if move.yields} == {
        CHECKPOINT,
        HAND_OVER,
        RETRY,
        FAIL,
        RECLAIM,
        GIVE_UP,
        RELEASE,
    }
    from_running = {move for move in MOVES if move.sources == (Status.RUNNING,)}
    assert {move for move in from_running if not move.yields} == {COMPLETE, ABORT, ASK_TO_CANCEL}


def test_what_ends_at_once_does_not_run_and_what_runs_is_asked() -> None:
    assert {*CANCEL.sources, *ASK_TO_CANCEL.sources} == LIVE
    assert not set(CANCEL.sources) & set(ASK_TO_CANCEL.sources)


def test_only_a_claim_makes_an_instance_run() -> None:
    into_running = {
        move
        for move in MOVES
        if move.target is Status.RUNNING and Status.RUNNING not in move.sources
    }
    assert into_running == {CLAIM}
    assert ENQUEUE.sources == ()


def test_every_type_of_event_tells_of_some_move() -> None:
    told: defaultdict[EventType, list[str]] = defaultdict(list)
    for move in MOVES:
        told[move.event].append(move.name)
    assert set(told) == set(EventType)
    assert {kind: names for kind, names in told.items() if len(names) > 1} == {
        EventType.CHECKPOINT: ["checkpoint", "hand over"],
        EventType.FAILED: ["fail", "give up"],
        EventType.CANCELLED: ["cancel", "abort"],
    }


@pytest.mark.parametrize("move", MOVES, ids=lambda move: move.name)
def test_every_move_says_what_guards_it(move: Move) -> None:
    assert move.guard
