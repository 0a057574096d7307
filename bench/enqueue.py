"""Enqueue inside one process: one at a time, and with a hundred in flight."""

from bench.figure import Line
from bench.in_flight import rate_of
from bench.inside import inside, request
from bench.plan import Plan
from bench.standards import judged
from bench.turns import take_turns
from bench.yardsticks import beside
from service.bootstrap import Service

ONE = "enqueue in Python, one at a time"
HUNDRED = "enqueue in Python, 100 in flight"


class Enqueuing:
    """Enqueues no-ops, that nobody runs."""

    def __init__(self, service: Service, plan: Plan) -> None:
        self._service = service
        self._plan = plan

    async def one_at_a_time(self) -> float:
        """Return the enqueues a second, each awaited before the next."""
        return await rate_of(self._enqueue, total=self._plan.many(1_000), in_flight=1)

    async def many(self) -> float:
        """Return the enqueues a second with a hundred in flight."""
        return await rate_of(self._enqueue, total=self._plan.many(10_000), in_flight=100)

    async def _enqueue(self) -> object:
        return await self._service.workflows.enqueue(request("noop"))


async def run(plan: Plan) -> list[Line]:
    """Measure both, in turns with the limits."""
    async with (
        beside(plan, (ONE, HUNDRED)) as yardsticks,
        inside(plan.new_database("enqueue"), worker=False) as service,
    ):
        enqueuing = Enqueuing(service, plan)
        await enqueuing.one_at_a_time()
        ours = {ONE: enqueuing.one_at_a_time, HUNDRED: enqueuing.many}
        figures = await take_turns({**yardsticks, **ours}, rounds=plan.rounds, unit="/s")
    return judged("enqueue", figures, plan.ground.standards)
