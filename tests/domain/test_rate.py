from datetime import timedelta
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain import rate as bucket
from service.domain.clock import micros
from service.domain.queue import Rate

NOW = 1_800_000_000_000_000
TEN_A_SECOND = Rate(10, per=timedelta(seconds=1), burst=3)

rates = st.builds(
    Rate,
    st.integers(1, 50),
    per=st.timedeltas(timedelta(milliseconds=1), timedelta(hours=1)),
    burst=st.none() | st.integers(1, 60),
)


def test_a_new_bucket_is_full() -> None:
    assert bucket.available(TEN_A_SECOND, 0, NOW) == 3
    assert bucket.next_token_at(TEN_A_SECOND, 0, NOW) == NOW


def test_a_token_comes_back_after_an_interval() -> None:
    empty = bucket.spend(TEN_A_SECOND, 0, NOW, 3)
    assert bucket.available(TEN_A_SECOND, empty, NOW) == 0
    assert bucket.next_token_at(TEN_A_SECOND, empty, NOW) == NOW + 100_000
    assert bucket.available(TEN_A_SECOND, empty, NOW + 99_999) == 0
    assert bucket.available(TEN_A_SECOND, empty, NOW + 100_000) == 1
    assert bucket.available(TEN_A_SECOND, empty, NOW + 10_000_000) == 3


def test_an_interval_is_rounded_up() -> None:
    assert bucket.interval(Rate(3, per=timedelta(microseconds=100))) == 34
    assert bucket.interval(Rate(600, per=timedelta(minutes=1))) == 100_000


@pytest.mark.parametrize("n", [-1, 4])
def test_no_more_is_spent_than_there_is(n: int) -> None:
    with pytest.raises(ValueError, match="can't be taken"):
        bucket.spend(TEN_A_SECOND, 0, NOW, n)


def test_a_clock_that_was_set_back_leaves_an_empty_bucket_and_not_a_dead_one() -> None:
    tat = bucket.spend(TEN_A_SECOND, 0, NOW, 3)
    earlier = NOW - 3_600_000_000
    assert bucket.available(TEN_A_SECOND, tat, earlier) == 0
    assert bucket.next_token_at(TEN_A_SECOND, tat, earlier) == earlier + 100_000
    kept = bucket.spend(TEN_A_SECOND, tat, earlier, 0)
    assert bucket.available(TEN_A_SECOND, kept, earlier + 100_000) == 1


def test_spending_nothing_changes_nothing() -> None:
    assert bucket.spend(TEN_A_SECOND, 0, NOW, 0) == 0
    assert bucket.spend(TEN_A_SECOND, NOW + 1, NOW, 0) == NOW + 1


def test_a_smaller_burst_takes_hold_at_once() -> None:
    tat = bucket.spend(Rate(10, per=timedelta(seconds=1)), 0, NOW, 10)
    assert bucket.available(TEN_A_SECOND, tat, NOW) == 0
    assert bucket.next_token_at(TEN_A_SECOND, tat, NOW) == NOW + 100_000


@given(
    rates,
    st.lists(
        st.tuples(
            st.integers(0, 2_000_000) | st.integers(0, 10_000_000_000),
            st.just(0) | st.integers(0, 10_000_000_000),
            st.integers(0, 100),
        ),
        max_size=30,
    ),
)
def test_no_window_admits_more_than_the_burst_and_the_rate(
    rate: Rate, steps: list[tuple[int, int, int]]
) -> None:
    """Each step lets time pass, may set the clock back, and asks for some tokens."""
    monotonic, behind, tat = 0, 0, 0
    taken: list[tuple[int, int]] = []
    for passed, set_back, wanted in steps:
        monotonic += passed
        behind += set_back
        now = NOW + monotonic - behind
        n = min(wanted, bucket.available(rate, tat, now))
        tat = bucket.spend(rate, tat, now, n)
        taken.append((monotonic, n))
    sums = [0, *accumulate(n for _, n in taken)]
    for first, (since, _) in enumerate(taken):
        for last in range(first, len(taken)):
            allowed = rate.burst * micros(rate.per) + rate.count * (taken[last][0] - since)
            assert (sums[last + 1] - sums[first]) * micros(rate.per) <= allowed


@given(rates, st.integers(0, NOW * 2), st.integers(0, NOW * 2))
def test_the_next_token_is_there_when_it_is_said_to_be(rate: Rate, tat: int, now: int) -> None:
    kept = bucket.spend(rate, tat, now, 0)
    at = bucket.next_token_at(rate, tat, now)
    assert now <= at <= now + bucket.interval(rate)
    assert bucket.available(rate, kept, at) >= 1
    assert at == now or bucket.available(rate, kept, at - 1) == 0
