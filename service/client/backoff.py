"""How long to wait before the next try, and when to stop trying."""

from collections.abc import Callable
from datetime import timedelta
from random import SystemRandom

from service.domain.clock import Clock

FIRST_SECONDS = 0.1
LONGEST_SECONDS = 5.0
DOUBLINGS = 10

_chance = SystemRandom().random


class Backoff:
    """Doubles the wait at each failure in a row, with jitter, until `patience` is spent.

    `chance` gives numbers from 0 to 1: clients that lost one server don't come back as one.
    """

    def __init__(
        self, clock: Clock, patience: timedelta, chance: Callable[[], float] = _chance
    ) -> None:
        self._clock = clock
        self._patience = patience.total_seconds()
        self._chance = chance
        self._failures = 0
        self._since = 0.0

    @property
    def failing(self) -> bool:
        """Tell whether the last try failed too."""
        return self._failures > 0

    def reset(self) -> None:
        """Begin anew, since something worked."""
        self._failures = 0

    async def wait(self) -> bool:
        """Wait before the next try; return False, at once, when there should be none."""
        now = self._clock.monotonic()
        if self._failures == 0:
            self._since = now
        longest = min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** min(self._failures, DOUBLINGS))
        pause = longest * (1 + self._chance()) / 2
        if now + pause - self._since > self._patience:
            return False
        self._failures += 1
        await self._clock.sleep(pause)
        return True
