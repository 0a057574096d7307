"""How the time between a signal and the end of the process is spent."""

from dataclasses import dataclass
from datetime import timedelta

LEAST_TO_END = 0.5
LONGEST_LAST_WORDS = 0.5


@dataclass(frozen=True, slots=True)
class Grace:
    """The seconds from the signal on: running work, then an orderly end, then last words.

    Even without any grace there is half a second to give back what runs.
    """

    seconds: float

    @classmethod
    def of(cls, span: timedelta) -> "Grace":
        """Return the grace of so long."""
        return cls(span.total_seconds())

    @property
    def last_words(self) -> float:
        """Return how long a part that has not ended in time gets to give up what it holds."""
        return min(LONGEST_LAST_WORDS, max(self.seconds, LEAST_TO_END) / 10)

    @property
    def to_end(self) -> float:
        """Return after how long a part has not ended in time."""
        return max(self.seconds - self.last_words, LEAST_TO_END)

    @property
    def to_run(self) -> float:
        """Return how long running actions may go on: the rest is for giving them back."""
        return max(self.seconds - 2 * self.last_words, 0.0)
