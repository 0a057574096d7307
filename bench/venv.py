"""Virtual environments of their own, for what is measured beside the service."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.plan import Plan
from bench.process import output_of


@dataclass(frozen=True, slots=True)
class Venv:
    """What must be installed from PyPI so that something runs, in a folder `venv-NAME`."""

    name: str
    packages: Sequence[str]
    modules: Sequence[str]

    async def install(self, plan: Plan) -> Path | None:
        """Return its Python; say so and return None when it can't be installed."""
        folder = plan.venvs / f"venv-{self.name}"
        python = folder / "bin" / "python"
        check = "; ".join(f"import {module}" for module in self.modules)
        try:
            if not python.exists():
                await output_of(sys.executable, ("-m", "venv", str(folder)), within=120)
                await output_of(python, ("-m", "pip", "install", "-q", *self.packages), within=300)
            await output_of(python, ("-c", check), within=60)
        except (OSError, RuntimeError, TimeoutError) as error:
            print(f"{self.name} is left out: it can't be installed into {folder}: {error}")
            return None
        return python
