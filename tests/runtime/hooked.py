"""A workflow with an `on_terminal` hook that notes each of its runs."""

import asyncio

from service.domain.context import Context
from service.domain.definition import Ended
from service.domain.registry import Workflows
from tests.services import Process


class Hooked:
    """A workflow whose hook notes each run, and may fail at first."""

    def __init__(self, registry: Workflows, *errors: BaseException | None) -> None:
        self.runs: list[Ended[int]] = []
        self.errors = list(errors)

        async def hook(ended: Ended[int]) -> None:
            self.runs.append(ended)
            error = self.errors.pop(0) if self.errors else None
            if error is not None:
                raise error

        @registry.workflow(on_terminal=hook)
        async def job(ctx: Context[None], params: str) -> int:
            if params == "fail":
                raise ValueError("bad")
            if params == "wait":
                await asyncio.sleep(3_600)
            return 7

        @registry.workflow
        async def plain(ctx: Context[None], params: None) -> None:
            return None


async def left(process: Process) -> int:
    return (await process.rows("SELECT count(*) FROM hooks"))[0][0]
