"""A figure is the median of its runs; a line sets it beside a yardstick and a floor.

Two figures are compared run by run: their runs took turns, so what slowed the machine for a moment
slowed both.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Figure:
    """Something measured several times, in `unit`."""

    name: str
    unit: str
    runs: Sequence[float]

    @property
    def value(self) -> float:
        """Return the median of the runs."""
        return median(self.runs)

    def renamed(self, name: str) -> "Figure":
        """Return the same under another name."""
        return Figure(name, self.unit, self.runs)


@dataclass(frozen=True, slots=True)
class Floor:
    """What a ratio (or a figure that has no yardstick) must reach, or must not exceed."""

    bound: float
    at_most: bool = False

    def holds(self, measured: float) -> bool:
        """Return whether the floor is kept."""
        return measured <= self.bound if self.at_most else measured >= self.bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the table: a figure, and what it is judged by."""

    bench: str
    figure: Figure
    against: Figure | None = None
    floor: Floor | None = None

    @property
    def ratio(self) -> float | None:
        """Return the median of the figure's runs, each divided by the yardstick's of its turn."""
        if self.against is None:
            return None
        pairs = zip(self.figure.runs, self.against.runs, strict=True)
        return median(ours / theirs for ours, theirs in pairs)

    @property
    def holds(self) -> bool | None:
        """Return whether the floor is kept; None where there is no floor."""
        if self.floor is None:
            return None
        ratio = self.ratio
        return self.floor.holds(self.figure.value if ratio is None else ratio)
