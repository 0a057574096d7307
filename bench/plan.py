"""How a run of the benches is done: how often, how much, and on what."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from bench.ground import Ground

_numbers = count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How often and how much is measured. `scale` shrinks every amount of work alike.

    The virtual environments of what doesn't belong to the service are in the folder `venvs`.
    """

    ground: Ground
    venvs: Path
    rounds: int = 5
    scale: float = 1.0

    def many(self, amount: int) -> int:
        """Return an amount of work, scaled: at least one."""
        return max(1, round(amount * self.scale))

    def seconds(self, span: float) -> float:
        """Return a span of measuring, scaled: at least a second."""
        return max(1.0, span * self.scale)

    def new_database(self, name: str) -> str:
        """Return the URL of a database that is not there yet; it goes when the run ends."""
        return self.ground.new_database(f"{name}-{next(_numbers)}")

    @contextmanager
    def lent(self, name: str) -> Iterator[str]:
        """Give a new database for the block, and take it away."""
        url = self.new_database(name)
        try:
            yield url
        finally:
            self.ground.drop(url)
