"""Holds caps and rates against every claim that ever was."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from fractions import Fraction

from service.domain.clock import SECOND, Clock, micros
from service.domain.events import Event, EventType
from service.domain.queue import Rate
from tests.store.properties.snapshot import QueueRow, Snapshot


class Limits:
    """Counts claims on the monotonic clock, whatever the wall clock is set to.

    A wall clock that is set forward may fill a bucket once: `jumps` counts how often it was.
    """

    def __init__(self, clock: Clock) -> None:
        self.jumps = 0
        self._clock = clock
        self._claims: defaultdict[str, list[tuple[Fraction, int]]] = defaultdict(list)
        self._policies: dict[str, tuple[int | None, int | None, int | None]] = {}

    def look(self, before: Snapshot, now: Snapshot, new: Sequence[Event]) -> None:
        """Count what was claimed since `before`."""
        for queue in now.queues.values():
            policy = (queue.rate_count, queue.rate_per, queue.rate_burst)
            if self._policies.get(queue.name) != policy:
                self._policies[queue.name] = policy
                self._claims[queue.name].clear()
            cap = queue.concurrency
            running = now.running(queue.name)
            assert cap is None or running <= max(cap, before.running(queue.name)), queue
        at = (Fraction(round(self._clock.monotonic() * SECOND)), self.jumps)
        for event in new:
            if event.type is EventType.STARTED:
                self._claims[event.queue].append(at)
        for queue in now.queues.values():
            rate = rate_of(queue)
            if rate is not None:
                check_windows(self._claims[queue.name], rate)


def check_windows(claims: Sequence[tuple[Fraction, int]], rate: Rate) -> None:
    """In every window that ends with the last claim, at most burst + rate × t were claimed."""
    for index, (began, jumps) in enumerate(claims):
        ended, jumped = claims[-1]
        refilled = (ended - began) * rate.count / micros(rate.per)
        allowed = rate.burst * (1 + jumped - jumps) + refilled
        assert len(claims) - index <= allowed, claims


def rate_of(queue: QueueRow) -> Rate | None:
    """Return the queue's rate, if it has one."""
    if queue.rate_count is None or queue.rate_per is None:
        return None
    return Rate(queue.rate_count, timedelta(microseconds=queue.rate_per), queue.rate_burst)
