"""Notices when somebody sets the wall clock, which judges leases."""

import threading

from service.domain.clock import SECOND, Clock


class ClockWatch:
    """Compares the wall clock with the monotonic one; may be asked from any thread.

    After a step leases can't be judged until every living worker had the time to renew its own:
    one full lease, on the monotonic clock.
    """

    def __init__(self, clock: Clock, lease: float, tolerance: float = 1.0) -> None:
        self._clock = clock
        self._lease = lease
        self._tolerance = tolerance
        self._lock = threading.Lock()
        self._offset = self._difference()
        self._steps = 0
        self._distrusted_until = float("-inf")

    @property
    def steps(self) -> int:
        """Return how often the wall clock was set, up to now."""
        with self._lock:
            offset = self._difference()
            if abs(offset - self._offset) > self._tolerance:
                self._steps += 1
                self._distrusted_until = self._clock.monotonic() + self._lease
            self._offset = offset
            return self._steps

    @property
    def trusted(self) -> bool:
        """Return whether leases can be judged by the wall clock now."""
        return self._clock.monotonic() >= self._distrusted_until

    def _difference(self) -> float:
        return self._clock.now() / SECOND - self._clock.monotonic()
