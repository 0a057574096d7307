"""Runs the DBOS peer in a virtual environment of its own, made when it is not there yet."""

import json
import sys
from pathlib import Path

from bench.plan import Plan
from bench.process import output_of

_PEER = Path(__file__).with_name("peers") / "dbos_noop.py"


class Dbos:
    """DBOS, installed."""

    def __init__(self, python: Path, plan: Plan) -> None:
        self._python = python
        self._plan = plan

    async def noops(self) -> float:
        """Return how many no-op instances it completes a second."""
        arguments = (str(_PEER), str(self._plan.new_file("dbos")), str(self._plan.many(150)))
        return float(json.loads(await output_of(self._python, arguments, within=120)))


async def install(plan: Plan) -> Dbos | None:
    """Return DBOS; say so and return None when it can't be installed."""
    python = plan.dbos_venv / "bin" / "python"
    try:
        if not python.exists():
            await output_of(sys.executable, ("-m", "venv", str(plan.dbos_venv)), within=120)
            await output_of(python, ("-m", "pip", "install", "-q", "dbos"), within=300)
        await output_of(python, ("-c", "import dbos"), within=60)
    except (OSError, RuntimeError, TimeoutError) as error:
        print(f"DBOS is left out: it can't be installed into {plan.dbos_venv}: {error}")
        return None
    return Dbos(python, plan)
