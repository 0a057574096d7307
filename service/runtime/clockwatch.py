"""Notices when somebody sets the wall clock that judges leases: this machine's or another's."""

import threading

from service.domain.clock import SECOND, Clock, Instant


class ClockWatch:
    """Compares the judging clock with the monotonic one; may be used from any thread.

    After a step leases can't be judged until every living worker had the time to renew its own:
    one full lease, on the monotonic clock.
    """

    def __init__(self, clock: Clock, lease: float, tolerance: float = 1.0) -> None:
        self._clock = clock
        self._lease = lease
        self._tolerance = tolerance
        self._lock = threading.Lock()
        self._least = float("-inf")
        self._most = float("inf")
        self._steps = 0
        self._distrusted_until = float("-inf")

    def compare(self, judged: Instant, asked: float) -> None:
        """Take note of what the judging clock said, at some time since `asked` (monotonic)."""
        with self._lock:
            told = judged / SECOND
            least, most = told - self._clock.monotonic(), told - asked
            if least > self._most + self._tolerance or most < self._least - self._tolerance:
                self._steps += 1
                self._distrusted_until = self._clock.monotonic() + self._lease
            elif max(least, self._least) <= min(most, self._most):
                least, most = max(least, self._least), min(most, self._most)
            self._least, self._most = least, most

    @property
    def steps(self) -> int:
        """Return how often the clock was seen to be set."""
        return self._steps

    @property
    def trusted(self) -> bool:
        """Return whether leases can be judged by that clock now."""
        return self._clock.monotonic() >= self._distrusted_until
