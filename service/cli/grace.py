"""How the time between a signal and the end of the process is spent."""

from dataclasses import dataclass
from datetime import timedelta

LEAST_TO_END = 0.5
LONGEST_SHARE = 0.4


@dataclass(frozen=True, slots=True)
class Grace:
    """The seconds from the signal on, for running work first; then come three short shares.

    They are for giving back what runs, for the last words of a part that has not ended, and to
    spare. Even without any grace there is half a second to give back what runs.
    """

    seconds: float

    @classmethod
    def of(cls, span: timedelta) -> "Grace":
        """Return the grace of so long."""
        return cls(span.total_seconds())

    @property
    def to_run(self) -> float:
        """Return how long running actions may go on."""
        return self.seconds - 3 * self._share

    @property
    def to_end(self) -> float:
        """Return after how long a part has not ended in time."""
        return max(self.seconds - 2 * self._share, LEAST_TO_END)

    @property
    def last_words(self) -> float:
        """Return how long a part that has not ended in time gets to give up what it holds."""
        return max(self._share, LEAST_TO_END / 10)

    @property
    def _share(self) -> float:
        return min(LONGEST_SHARE, self.seconds / 10)
