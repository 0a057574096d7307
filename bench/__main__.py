"""`python -m bench`: measures everything, or the benches that are named."""

import argparse
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import uvloop

from bench import (
    backlog,
    enqueue,
    http,
    idle,
    latency,
    limits,
    report,
    scale,
    subscribers,
)
from bench.figure import Line
from bench.plan import Plan
from bench.postgres.ground import PostgresGround
from bench.process import ROOT
from bench.sqlite.ground import SqliteGround

Bench = Callable[[Plan], Awaitable[list[Line]]]

BENCHES: Mapping[str, Bench] = {
    "limits": limits.run,
    "enqueue": enqueue.run,
    "http": http.run,
    "backlog": backlog.run,
    "latency": latency.run,
    "subscribers": subscribers.run,
    "idle": idle.run,
    "scale": scale.run,
}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("benches", nargs="*", metavar="BENCH", help=", ".join(BENCHES))
    parser.add_argument("--quick", action="store_true", help="less work, two rounds: a rough look")
    parser.add_argument("--rounds", type=int, help="how often each figure is measured (5)")
    parser.add_argument("--json", type=Path, help="where to write the figures as JSON")
    parser.add_argument("--folder", type=Path, help="where the SQLite databases are made")
    parser.add_argument(
        "--database",
        metavar="URL",
        help="a PostgreSQL server's, on which databases are made, instead of SQLite",
    )
    parser.add_argument(
        "--venvs",
        type=Path,
        default=ROOT.parent,
        help="where the virtual environments of the peers are, made when they are not there",
    )
    given = parser.parse_args()
    unknown = [name for name in given.benches if name not in BENCHES]
    if unknown:
        parser.error(f"no bench is named {unknown[0]!r}: choose from {', '.join(BENCHES)}")
    return given


async def _measure(names: Sequence[str], plan: Plan) -> list[Line]:
    lines: list[Line] = []
    for name in names:
        print(f"{name} …", flush=True)
        found = await BENCHES[name](plan)
        report.show(found, sys.stdout)
        lines.extend(found)
    return lines


def main() -> int:
    """Run it, print the table, write the JSON; 1 when a floor was missed."""
    given = _arguments()
    began = datetime.now(UTC)
    ground = PostgresGround(given.database) if given.database else SqliteGround(given.folder)
    plan = Plan(
        ground=ground,
        venvs=given.venvs.absolute(),
        rounds=given.rounds or (2 if given.quick else 5),
        scale=0.2 if given.quick else 1.0,
    )
    try:
        lines = uvloop.run(_measure(given.benches or list(BENCHES), plan))
    finally:
        ground.close()
    path = given.json or report.default_path(began)
    command = " ".join(["python -m bench", *sys.argv[1:]])
    report.save(lines, path, at=began, command=command, database=ground.title)
    print(f"\n{len(lines)} figures are in {path}")
    return 1 if any(line.holds is False for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
