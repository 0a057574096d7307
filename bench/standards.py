"""What each figure is judged by: a table for each kind of database."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bench.figure import Figure, Floor, Line


@dataclass(frozen=True, slots=True, kw_only=True)
class Standard:
    """A yardstick that a figure is set beside, and the floor of the ratio.

    Without a yardstick the floor is the figure's own.
    """

    against: str | None = None
    floor: Floor | None = None


Standards = Mapping[str, Sequence[Standard]]


def yardsticks(names: Iterable[str], standards: Standards) -> frozenset[str]:
    """Return the names of all that the figures of these names are set beside."""
    found = (standard.against for name in names for standard in standards.get(name, ()))
    return frozenset(against for against in found if against is not None)


def judged(bench: str, figures: Mapping[str, Figure], standards: Standards) -> list[Line]:
    """Return a line for each standard of each figure; what was not measured is no standard."""
    lines: list[Line] = []
    for name, figure in figures.items():
        met = [
            Line(
                bench=bench,
                figure=figure,
                against=None if standard.against is None else figures[standard.against],
                floor=standard.floor,
            )
            for standard in standards.get(name, ())
            if standard.against is None or standard.against in figures
        ]
        lines += met or [Line(bench=bench, figure=figure)]
    return lines
