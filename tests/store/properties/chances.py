"""What may be drawn: launches, moves, identities, and what queues allow."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import count
from typing import Any

from hypothesis import strategies as st

from service.domain.clock import SECOND
from service.domain.instance import Claimed, Failure, Launch, OnConflict
from service.domain.queue import QueuePolicy, Rate
from service.domain.transitions import (
    Progression,
    Transition,
    abort,
    checkpoint,
    complete,
    fail,
    hand_over,
    release,
    retry,
)
from service.store.answers import Answer
from service.store.cancel import Stopped
from service.store.enqueue import Placed
from service.store.requests import Request
from service.store.upkeep import CutLeases, Promote, Reclaim
from tests.store.properties.deed import Deed
from tests.store.properties.upkeep import Cutting, Promoting, Reclaiming

LEASE = 30 * SECOND
Make = Callable[[Claimed], Transition]
Policies = Sequence[QueuePolicy]

_SLOW = Rate(1, per=timedelta(seconds=10), burst=2)
_FAST = Rate(7, per=timedelta(seconds=3))
POLICIES = [
    QueuePolicy("free"),
    QueuePolicy("capped", concurrency=2),
    QueuePolicy("limited", rate=_SLOW),
    QueuePolicy("both", concurrency=1, rate=_FAST),
]
OTHERS = [
    QueuePolicy("free", concurrency=1),
    QueuePolicy("capped"),
    QueuePolicy("limited", rate=_FAST),
    QueuePolicy("both", concurrency=3, rate=_SLOW),
]
UNLIMITED = [QueuePolicy(policy.name) for policy in POLICIES]

_ids = count(1)

picks = st.integers(0, 40)
waits = st.sampled_from([False, False, True])
leases = st.sampled_from([LEASE, 10 * SECOND])
workers = st.sampled_from(["w1", "w2", "w3"])
queues = st.sampled_from([policy.name for policy in POLICIES])
policies = st.sampled_from([POLICIES, POLICIES, OTHERS])


@dataclass(frozen=True, slots=True)
class Ask:
    """How something is asked for: at once or with others, under an identity of the caller's.

    One who gives it may ask `twice` in the same moment.
    """

    kept: bool
    wait: bool
    twice: bool

    def request(self) -> Request:
        """Return an identity that nobody has used."""
        number = next(_ids)
        return Request(f"r-{number:06}", kept=self.kept, fingerprint=f"first of {number}")


upkeep: st.SearchStrategy[Deed] = st.one_of(
    st.builds(lambda limit: Reclaiming(Reclaim(limit=limit)), st.integers(1, 4)),
    st.builds(lambda limit: Promoting(Promote(limit=limit)), st.integers(1, 4)),
    st.builds(lambda lease: Cutting(CutLeases(lease=lease)), leases),
)

asks = st.builds(Ask, kept=st.booleans(), wait=waits, twice=st.sampled_from([False] * 3 + [True]))

launches = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["alpha", "beta"]),
        "queue": queues,
        "priority": st.sampled_from([0, 0, 5, -1]),
        "input": st.sampled_from(["1", "2"]),
        "max_lost": st.sampled_from([1, 0]),
        "hooked": st.booleans(),
        "idempotency_key": st.sampled_from([None, None, None, "k1", "k2"]),
        "singleton_key": st.sampled_from([None, None, "s1", "s2"]),
        "on_conflict": st.sampled_from(OnConflict),
    }
)


def launch(facts: dict[str, Any]) -> Launch:
    """Return a launch with an id of its own; ids grow with each."""
    digest = facts["input"] if facts["idempotency_key"] else None
    return Launch(
        id=f"i-{next(_ids):06}", action="one", max_attempts=3, params_digest=digest, **facts
    )


def _failure(held: Claimed) -> Failure:
    return Failure(
        instance_id=held.id,
        fence=held.fence,
        visit=held.visit,
        action=held.action,
        attempt=held.attempts + 1,
        error_type="Error",
        message="no",
    )


def _onward(held: Claimed) -> Transition:
    return checkpoint(held, action="two", params="3", state='"s"', max_attempts=5)


def _later(delay: int) -> Make:
    return lambda held: hand_over(
        held, action="two", params="4", state='"t"', max_attempts=2, delay=delay
    )


ways_on: st.SearchStrategy[Make] = st.sampled_from(
    [_onward, _onward, _later(0), _later(20 * SECOND)]
)
ways_out: st.SearchStrategy[Make] = st.sampled_from(
    [
        lambda held: complete(held, '"done"'),
        lambda held: fail(held, _failure(held)),
        lambda held: retry(held, _failure(held), 5 * SECOND),
        abort,
        release,
    ]
)


def advanced(move: Progression) -> Claimed:
    """Return what is held after a checkpoint."""
    return replace(
        move.held,
        action=move.action,
        params=move.params,
        state=move.state,
        max_attempts=move.max_attempts,
        attempts=0,
        losses=0,
        visit=move.held.visit + 1,
    )


def request_of(deed: Deed) -> Request:
    """Return the identity under which something was asked for."""
    request: Request = getattr(deed.write, "request")  # noqa: B009
    return request


def is_kept(deed: Deed) -> bool:
    """Return whether its answer is kept, so that it can be asked for again."""
    request = getattr(deed.write, "request", None)
    return isinstance(request, Request) and request.kept


def told(answer: Any) -> object:
    """Return what the caller was told, but for how the instance stood at that moment."""
    if isinstance(answer, list):
        return [told(each) for each in answer]
    if isinstance(answer, Placed):
        return (answer.instance.id, answer.created, answer.cursor)
    if isinstance(answer, Stopped):
        return (answer.instance.id, answer.outcome, answer.cursor)
    return (answer.instance.id, answer.cursor) if isinstance(answer, Answer) else answer
