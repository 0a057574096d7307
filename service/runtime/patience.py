"""How workers keep out of each other's way when all of them hear of one and the same instance."""

import random
from collections.abc import Callable

_FIRST = 0.002
_MOST = 0.064


class Patience:
    """A random pause before a worker reaches for what all have heard of, so that few of them do.

    Whoever comes too late waits longer the next time, up to 64 ms; whoever comes in time waits
    half as long, and soon not at all. A worker that is alone never waits. `chance` is drawn from
    0 to 1.
    """

    def __init__(self, chance: Callable[[], float] = random.random) -> None:  # noqa: TID251
        self._chance = chance
        self._span = 0.0

    def pause(self) -> float:
        """Return the seconds to wait now."""
        return self._span * self._chance()

    def won(self) -> None:
        """Take note that it came in time."""
        self._span = self._span / 2 if self._span > _FIRST else 0.0

    def lost(self) -> None:
        """Take note that others had been quicker."""
        self._span = min(_MOST, max(_FIRST, 2 * self._span))
