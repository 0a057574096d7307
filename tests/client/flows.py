"""Workflows for the client's tests; each run is a line in `runs`."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from service import Context, End, Next, Workflows


@dataclass
class Point:
    """An input, and an output."""

    x: int
    y: int


def make(folder: Path) -> Workflows:
    """Return them."""
    workflows = Workflows()

    def ran(what: str) -> None:
        with (folder / "runs").open("a") as file:
            file.write(what + "\n")

    @workflows.workflow
    async def mirror(ctx: Context[None], point: Point) -> Point:
        ran("mirror")
        return Point(point.y, point.x)

    @workflows.workflow
    async def fail(ctx: Context[None], why: str) -> None:
        ran("fail")
        if not (folder / "mended").exists():
            raise ValueError(why)

    @workflows.workflow
    async def sleep(ctx: Context[None], seconds: float) -> str:
        await asyncio.sleep(seconds)
        return "rested"

    count = workflows.machine("count", input=int, output=str)

    @count.action
    async def down(ctx: Context[None], left: int) -> Next | End[str]:
        return down.next(left - 1) if left else End("zero")

    return workflows
