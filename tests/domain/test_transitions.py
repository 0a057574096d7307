from collections.abc import Callable
from dataclasses import replace

import pytest

from service.domain import moves
from service.domain.instance import Claimed, Failure
from service.domain.transitions import (
    Settlement,
    Transition,
    abort,
    checkpoint,
    complete,
    event_of,
    fail,
    hand_over,
    reclaim,
    release,
    retry,
)

HELD = Claimed(
    id="i1",
    name="order",
    queue="orders",
    priority=0,
    action="pay",
    input="{}",
    params="{}",
    state=None,
    attempts=2,
    max_attempts=5,
    losses=1,
    max_lost=3,
    visit=4,
    fence=7,
    hooked=True,
    singleton_key="k",
    cancel_requested=False,
    lease_until=0,
)
FAILURE = Failure(
    instance_id="i1",
    fence=7,
    visit=4,
    action="pay",
    attempt=3,
    error_type="PaymentError",
    message="no money",
)
SETTLEMENTS: dict[str, Callable[[], Settlement]] = {
    "complete": lambda: complete(HELD, "1"),
    "retry": lambda: retry(HELD, FAILURE, 5),
    "fail": lambda: fail(HELD, FAILURE),
    "abort": lambda: abort(HELD),
    "release": lambda: release(HELD),
    "reclaim": lambda: reclaim(HELD),
    "give up": lambda: reclaim(replace(HELD, losses=3)),
}


@pytest.mark.parametrize("name", SETTLEMENTS)
def test_a_settlement_tells_of_its_move(name: str) -> None:
    made = SETTLEMENTS[name]()
    assert made.move.name == name
    assert made.held.fence == HELD.fence
    event = made.event
    assert (event.type, event.status) == (made.move.event, made.move.target)
    assert (event.instance_id, event.name, event.queue) == ("i1", "order", "orders")
    assert (event.action, event.attempt) == ("pay", 3)


@pytest.mark.parametrize("name", SETTLEMENTS)
def test_attempts_and_losses_are_counted_apart(name: str) -> None:
    made = SETTLEMENTS[name]()
    failed = name in ("retry", "fail")
    lost = name in ("reclaim", "give up")
    assert made.attempts == HELD.attempts + failed
    assert made.losses == made.held.losses + lost


@pytest.mark.parametrize("name", SETTLEMENTS)
def test_what_goes_back_to_the_queue_is_due_some_time(name: str) -> None:
    made = SETTLEMENTS[name]()
    assert made.delay == {"retry": 5, "release": 0, "reclaim": 0}.get(name)


@pytest.mark.parametrize("name", SETTLEMENTS)
def test_only_what_failed_leaves_a_failure_and_an_error(name: str) -> None:
    made = SETTLEMENTS[name]()
    if name in ("retry", "fail"):
        assert made.failure is FAILURE
        assert made.event.error == "PaymentError: no money"
    elif name == "give up":
        assert made.failure is not None
        assert made.event.error == made.failure.message
    else:
        assert made.failure is None
        assert made.event.error is None


def test_only_completing_has_an_output() -> None:
    assert {name for name, make in SETTLEMENTS.items() if make().output is not None} == {"complete"}


@pytest.mark.parametrize(("losses", "name"), [(0, "reclaim"), (2, "reclaim"), (3, "give up")])
def test_the_loss_after_max_lost_ends_the_instance(losses: int, name: str) -> None:
    assert reclaim(replace(HELD, losses=losses)).move.name == name


def test_without_any_loss_allowed_the_first_one_ends_it() -> None:
    assert reclaim(replace(HELD, losses=0, max_lost=0)).move is moves.GIVE_UP


def test_an_instance_given_up_says_why() -> None:
    made = reclaim(replace(HELD, losses=3))
    assert made.failure is not None
    assert made.failure.message.startswith("worker lost: 4 of them")
    assert (made.failure.fence, made.failure.visit, made.failure.attempt) == (7, 4, 3)


@pytest.mark.parametrize("after", [None, 60])
def test_going_on_begins_the_next_visit_anew(after: int | None) -> None:
    if after is None:
        made = checkpoint(HELD, action="ship", params="1", state="2", max_attempts=9)
        expected = moves.CHECKPOINT
    else:
        made = hand_over(HELD, action="ship", params="1", state="2", max_attempts=9, delay=after)
        expected = moves.HAND_OVER
    assert made.move is expected
    assert (made.action, made.params, made.state, made.max_attempts) == ("ship", "1", "2", 9)
    assert made.delay == (after or 0)
    assert (made.event.action, made.event.attempt, made.event.status) == (
        "ship",
        1,
        expected.target,
    )


def test_nothing_is_stamped_before_it_is_written() -> None:
    made: list[Transition] = [make() for make in SETTLEMENTS.values()]
    assert {(each.event.at, each.event.position) for each in made} == {(0, 0)}


def test_an_event_carries_what_it_is_given() -> None:
    event = event_of(moves.CLAIM, HELD, action="ship", error="e", data="{}")
    assert (event.action, event.error, event.data) == ("ship", "e", "{}")
    assert event_of(moves.CLAIM, HELD).action == "pay"
