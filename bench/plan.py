"""How a run of the benches is done: how often, how much, and where its files lie."""

from dataclasses import dataclass
from itertools import count
from pathlib import Path

_numbers = count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How often and how much is measured. `scale` shrinks every amount of work alike."""

    folder: Path
    dbos_venv: Path
    rounds: int = 5
    scale: float = 1.0

    def many(self, amount: int) -> int:
        """Return an amount of work, scaled: at least one."""
        return max(1, round(amount * self.scale))

    def seconds(self, span: float) -> float:
        """Return a span of measuring, scaled: at least a second."""
        return max(1.0, span * self.scale)

    def new_file(self, name: str) -> Path:
        """Return a path for a database that is not there yet."""
        return self.folder / f"{name}-{next(_numbers)}.db"
