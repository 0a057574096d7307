"""Workflows that note when their actions ran, on the clock of the test."""

from datetime import timedelta

from service.domain.context import Context
from service.domain.outcome import End, Next
from service.domain.retry import Retry
from tests.services import Process


class Noted:
    """Workflows `job`, `later` and `flaky`, and the instances that ran, each with when."""

    def __init__(self, process: Process) -> None:
        self.ran: list[tuple[str, float]] = []
        clock = process.clock
        registry = process.registry

        @registry.workflow
        async def job(ctx: Context[None], params: float | None) -> None:
            self.ran.append((ctx.instance_id, clock.monotonic()))
            if params:
                await clock.sleep(params)

        later = registry.machine("later")

        @later.action
        async def first(ctx: Context[None], params: None) -> Next:
            return second.next(None, after=timedelta(seconds=20.4))

        @later.action
        async def second(ctx: Context[None], params: None) -> End[None]:
            self.ran.append((ctx.instance_id, clock.monotonic()))
            return End(None)

        @registry.workflow(retry=Retry(max_attempts=3, base=timedelta(seconds=5.4), jitter=0))
        async def flaky(ctx: Context[None], params: None) -> None:
            self.ran.append((ctx.instance_id, clock.monotonic()))
            raise ValueError("not yet")

    @property
    def times(self) -> list[float]:
        return [time for _, time in self.ran]
