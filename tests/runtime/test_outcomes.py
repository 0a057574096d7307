from dataclasses import replace
from datetime import timedelta

import pytest

from service.domain import moves
from service.domain.context import Context
from service.domain.definition import Definition
from service.domain.moves import Move
from service.domain.outcome import End, Next
from service.domain.registry import Workflows
from service.domain.retry import Retry
from service.domain.transitions import Progression, Settlement
from service.runtime.outcomes import Outcomes
from tests.domain.test_transitions import HELD

RETRY = Retry(max_attempts=5, base=timedelta(seconds=8), jitter=0.5, not_on=(KeyError,))


def definition() -> Definition:
    job = Workflows().machine("job", state=dict[str, int], output=int)

    @job.action(retry=RETRY)
    async def first(ctx: Context[dict[str, int]], params: None) -> Next:
        return second.next("x")

    @job.action(retry=Retry(max_attempts=9))
    async def second(ctx: Context[dict[str, int]], params: str) -> End[int]:
        return End(1)

    return job.definition


@pytest.fixture
def outcomes() -> Outcomes:
    return Outcomes(1_000, random=lambda: 0.5)


@pytest.mark.parametrize(
    ("after", "stopping", "move", "delay"),
    [
        (None, False, moves.CHECKPOINT, 0),
        (timedelta(0), False, moves.CHECKPOINT, 0),
        (timedelta(seconds=5), False, moves.HAND_OVER, 5_000_000),
        (None, True, moves.HAND_OVER, 0),
        (timedelta(seconds=5), True, moves.HAND_OVER, 5_000_000),
    ],
)
def test_going_on(
    outcomes: Outcomes, after: timedelta | None, stopping: bool, move: Move, delay: int
) -> None:
    outcomes.stopping = stopping
    made = outcomes.returned(definition(), HELD, {"n": 1}, Next("second", "x", after))
    assert isinstance(made, Progression)
    assert (made.move, made.delay) == (move, delay)
    assert (made.action, made.params, made.state) == ("second", '"x"', '{"n":1}')
    assert made.max_attempts == 9


def test_ending_well(outcomes: Outcomes) -> None:
    made = outcomes.returned(definition(), HELD, {}, End(7))
    assert isinstance(made, Settlement)
    assert (made.move, made.output) == (moves.COMPLETE, "7")


def test_what_was_raised_is_tried_again_after_its_backoff(outcomes: Outcomes) -> None:
    action = definition().actions["first"]
    made = outcomes.raised(action, HELD, ValueError("bad"))  # its third attempt
    assert isinstance(made, Settlement)
    assert (made.move, made.attempts) == (moves.RETRY, 3)
    assert made.delay == 8_000_000 * 4 * 3 // 4


def test_what_was_raised_in_the_last_attempt_is_the_end(outcomes: Outcomes) -> None:
    action = definition().actions["first"]
    last = replace(HELD, attempts=4)
    assert outcomes.raised(action, last, ValueError("bad")).move is moves.FAIL


def test_an_error_not_to_be_tried_again_is_the_end(outcomes: Outcomes) -> None:
    action = definition().actions["first"]
    group = ExceptionGroup("many", [ValueError("a"), KeyError("b")])
    for error in (KeyError("b"), group):
        assert outcomes.raised(action, HELD, error).move is moves.FAIL


def test_the_limit_is_for_output_state_and_params(outcomes: Outcomes) -> None:
    large = "x" * 1_000
    for state, value in (
        ({large: 1}, Next("second", "x")),
        ({}, Next("second", large)),
    ):
        made = outcomes.returned(definition(), HELD, state, value)
        assert made.move is moves.FAIL
        assert "1,000" in str(made.event.error)
