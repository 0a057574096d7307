"""Shows the lines as a table, and writes them as JSON."""

import json
import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from bench.figure import Line

_HEADS = ("bench", "figure", "median", "spread", "unit", "against", "ratio", "floor", "")


def show(lines: Sequence[Line], out: TextIO) -> None:
    """Write the table."""
    rows = [_HEADS, *(_cells(line) for line in lines)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADS))]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        out.write("  ".join(cells).rstrip() + "\n")


def save(lines: Sequence[Line], path: Path, *, at: datetime, command: str, database: str) -> None:
    """Write what was measured, and on what, as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(_document(lines, at, command, database), indent=2) + "\n")


def default_path(at: datetime) -> Path:
    """Return where the JSON of a run that began then is kept."""
    stamp = at.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    return Path(__file__).parent / "results" / f"{stamp}.json"


def _cells(line: Line) -> tuple[str, ...]:
    figure, ratio, floor = line.figure, line.ratio, line.floor
    spread = f"{_number(min(figure.runs))}-{_number(max(figure.runs))}"
    bound = "" if floor is None else f"{'<=' if floor.at_most else '>='} {_number(floor.bound)}"
    verdict = {None: "", True: "ok", False: "MISSED"}[line.holds]
    return (
        line.bench,
        figure.name,
        _number(figure.value),
        spread,
        figure.unit,
        "" if line.against is None else line.against.name,
        "" if ratio is None else f"{ratio:.3g}",
        bound,
        verdict,
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _document(
    lines: Sequence[Line], at: datetime, command: str, database: str
) -> dict[str, object]:
    return {
        "at": at.isoformat(timespec="seconds"),
        "command": command,
        "machine": {
            "cores": os.cpu_count(),
            "load": os.getloadavg()[0],
            "platform": platform.platform(),
            "python": platform.python_version(),
            "database": database,
        },
        "lines": [
            {
                "bench": line.bench,
                "figure": line.figure.name,
                "unit": line.figure.unit,
                "median": line.figure.value,
                "runs": list(line.figure.runs),
                "against": None if line.against is None else line.against.name,
                "ratio": line.ratio,
                "floor": None if line.floor is None else line.floor.bound,
                "at_most": line.floor is not None and line.floor.at_most,
                "holds": line.holds,
            }
            for line in lines
        ],
    }
