"""A token bucket kept in one number: the generic cell rate algorithm.

`tat`, the theoretical arrival time, is the instant at which the bucket will be full again. A full
bucket's lies in the past, each token taken moves it on by one interval, and at `capacity` intervals
ahead of now the bucket is empty. A bucket never used has 0, so it starts full.
"""

from service.domain.clock import Instant, micros
from service.domain.queue import Rate


def interval(rate: Rate) -> int:
    """Return the microseconds in which one token comes back, rounded up."""
    return -(-micros(rate.per) // rate.count)


def available(rate: Rate, tat: int, now: Instant) -> int:
    """Return how many tokens can be taken now, from 0 to the burst."""
    empty = now + rate.burst * interval(rate)
    return (empty - min(max(tat, now), empty)) // interval(rate)


def spend(rate: Rate, tat: int, now: Instant, n: int) -> int:
    """Return the tat to keep once `n` tokens are taken; raises ValueError when they aren't there.

    Keep it for n = 0 too: after the clock was set back a tat may lie further ahead than an empty
    bucket's, and the bucket would stay empty until the clock has caught up. It is cut to that.
    """
    if not 0 <= n <= available(rate, tat, now):
        raise ValueError(f"{n} tokens of {available(rate, tat, now)} can't be taken")
    cut = min(tat, now + rate.burst * interval(rate))
    return cut if n == 0 else max(cut, now) + n * interval(rate)


def next_token_at(rate: Rate, tat: int, now: Instant) -> Instant:
    """Return when a token can be taken: now, or the instant at which the next one is back."""
    full = min(tat, now + rate.burst * interval(rate))
    return max(now, full - (rate.burst - 1) * interval(rate))
