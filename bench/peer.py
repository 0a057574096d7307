"""The peers: others that do the same, each run by a Python that has it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.plan import Plan
from bench.process import output_of
from bench.turns import Measure
from bench.venv import Venv

_SCRIPTS = Path(__file__).with_name("peers")
DBOS = "DBOS, the same no-op"
PROCRASTINATE = "procrastinate, the same no-op"
ABSURD = "absurd, three steps"


@dataclass(frozen=True, slots=True)
class Peer:
    """A script of `peers/`: given a new database's URL and a count, it prints a rate a second."""

    script: str
    count: int
    venv: Venv

    async def install(self, plan: Plan) -> Measure | None:
        """Return what measures it, or None when it can't be installed."""
        python = await self.venv.install(plan)
        if python is None:
            return None

        async def measure() -> float:
            with plan.lent("peer") as url:
                arguments = (str(_SCRIPTS / self.script), url, str(plan.many(self.count)))
                return float(json.loads(await output_of(python, arguments, within=120)))

        return measure


PEERS: Mapping[str, Peer] = {
    DBOS: Peer("dbos_noop.py", 150, Venv("dbos", ("dbos",), ("dbos",))),
    PROCRASTINATE: Peer(
        "procrastinate_noop.py",
        1_000,
        Venv("procrastinate", ("procrastinate", "uvloop"), ("procrastinate", "uvloop")),
    ),
    ABSURD: Peer(
        "absurd_three.py",
        500,
        Venv("absurd", ("absurd-sdk", "absurdctl"), ("absurd_sdk", "absurdctl")),
    ),
}
