"""The clock of this machine."""

import asyncio
import time

from service.domain.clock import Instant


class SystemClock:
    """Wall clock, monotonic clock and sleep, as the machine has them."""

    def now(self) -> Instant:
        """Return the wall clock's current instant."""
        return time.time_ns() // 1000

    def monotonic(self) -> float:
        """Return seconds on a clock that nobody can set."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Return after `seconds`."""
        await asyncio.sleep(seconds)
