"""Which of the ready instances are claimed next: a queue's rules, and fairness between queues."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from service.domain.clock import Instant
from service.domain.queue import Rate


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """A queue that has something ready, with its rules. `arrival` is where its rate stands."""

    queue: str
    names: Sequence[str]
    paused: bool
    concurrency: int | None
    rate: Rate | None
    arrival: Instant


Candidate = tuple[int, Instant, str]
"""Priority, due time and id: higher priority goes first, then what is due earlier, then older."""


def in_order(candidates: Sequence[Candidate], allowed: int) -> list[str]:
    """Return the ids of the first `allowed` candidates of one queue."""
    ordered = sorted(candidates, key=lambda each: (-each[0], each[1], each[2]))
    return [each[2] for each in ordered[:allowed]]


def fairly(
    chosen: Mapping[str, Sequence[str]], limit: int, after: str
) -> tuple[dict[str, list[str]], str]:
    """Deal `limit` places to the queues by turns, beginning with the one that follows `after`.

    Returns the ids by queue, and the queue that was served last.
    """
    queues = sorted(chosen)
    turn = [queue for queue in queues if queue > after] + [
        queue for queue in queues if queue <= after
    ]
    rounds = zip_longest(*([(queue, each) for each in chosen[queue]] for queue in turn))
    dealt: dict[str, list[str]] = {}
    last = after
    for pair in [pair for pair in chain.from_iterable(rounds) if pair is not None][:limit]:
        last = pair[0]
        dealt.setdefault(last, []).append(pair[1])
    return dealt, last
