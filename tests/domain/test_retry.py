import math
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.errors import DefinitionError
from service.domain.limits import LONGEST_SPAN
from service.domain.retry import Retry

spans = st.timedeltas(timedelta(microseconds=1), LONGEST_SPAN)
BUILD: Any = Retry


def always(value: float) -> Any:
    return lambda: value


@given(
    attempt=st.integers(1, 10_000),
    spans=st.tuples(spans, spans).map(sorted),
    jitter=st.floats(0, 1),
    backoff=st.sampled_from(["exponential", "fixed"]),
    chance=st.floats(0, 1),
)
def test_a_delay_is_above_zero_and_never_above_the_cap(
    attempt: int, spans: list[timedelta], jitter: float, backoff: Any, chance: float
) -> None:
    base, cap = spans
    retry = Retry(backoff=backoff, base=base, cap=cap, jitter=jitter)
    assert timedelta(0) < retry.delay(attempt, always(chance)) <= cap


def test_an_exponential_backoff_doubles_up_to_the_cap() -> None:
    retry = Retry(jitter=0, cap=timedelta(seconds=10))
    delays = [retry.delay(n, always(0.5)).total_seconds() for n in (1, 2, 3, 4, 5, 47, 1024, 5000)]
    assert delays == [1, 2, 4, 8, 10, 10, 10, 10]


def test_a_fixed_backoff_stays() -> None:
    retry = Retry(backoff="fixed", jitter=0, base=timedelta(seconds=3))
    assert {retry.delay(n, always(0.5)) for n in (1, 2, 50, 5000)} == {timedelta(seconds=3)}


def test_chance_takes_off_as_much_as_the_jitter() -> None:
    retry = Retry(jitter=0.1, base=timedelta(seconds=10))
    assert retry.delay(1, always(0)) == timedelta(seconds=10)
    assert retry.delay(1, always(0.5)) == timedelta(seconds=9.5)
    assert retry.delay(1, always(1)) == timedelta(seconds=9)


def test_declared_errors_are_not_tried_again() -> None:
    retry = Retry(max_attempts=5, not_on=(LookupError, KeyboardInterrupt))
    assert retry.retries(ValueError())
    assert not retry.retries(KeyError())
    assert not retry.retries(KeyboardInterrupt())
    assert Retry().retries(SystemExit())


def test_a_group_that_holds_a_declared_error_is_not_tried_again() -> None:
    retry = Retry(not_on=(LookupError,))
    assert retry.retries(ExceptionGroup("g", [ValueError(), TypeError()]))
    assert not retry.retries(ExceptionGroup("g", [ValueError(), ExceptionGroup("h", [KeyError()])]))
    assert not retry.retries(BaseExceptionGroup("g", [SystemExit(), KeyError()]))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"max_attempts": 0}, "max_attempts is 0: give a whole number from 1"),
        ({"max_attempts": -1}, "max_attempts"),
        ({"max_attempts": True}, "max_attempts is True"),
        ({"max_attempts": 1.5}, "max_attempts"),
        ({"max_attempts": math.nan}, "max_attempts"),
        ({"max_attempts": 2**31}, "max_attempts"),
        ({"backoff": "linear"}, "'exponential' or 'fixed'"),
        ({"backoff": []}, "'exponential' or 'fixed'"),
        ({"base": 1.0}, "base is 1.0: give a timedelta"),
        ({"base": timedelta(0)}, "base is 0:00:00: give a timedelta above zero"),
        ({"base": timedelta(seconds=-1)}, "above zero"),
        ({"base": timedelta(hours=2)}, "above its cap of 1:00:00: raise the cap"),
        ({"cap": timedelta.max}, "at most"),
        ({"cap": timedelta(0)}, "cap"),
        ({"jitter": -0.1}, "jitter is -0.1: give a number from 0 to 1"),
        ({"jitter": 1.1}, "jitter"),
        ({"jitter": math.nan}, "jitter"),
        ({"jitter": "10%"}, "jitter"),
        ({"jitter": True}, "jitter"),
        ({"not_on": ValueError}, "give a tuple of exception classes"),
        ({"not_on": (5,)}, "not_on"),
        ({"not_on": (int,)}, "not_on"),
    ],
)
def test_a_policy_that_makes_no_sense_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        BUILD(**given)
