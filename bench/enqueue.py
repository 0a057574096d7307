"""Enqueue inside one process: one at a time, and with a hundred in flight."""

from bench.figure import Figure, Floor, Line
from bench.in_flight import rate_of
from bench.inside import inside, request
from bench.limits import AIOSQLITE, SKELETON, limits
from bench.plan import Plan
from bench.turns import take_turns
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


def judged(figures: dict[str, Figure]) -> list[Line]:
    """Set the two figures beside their yardsticks."""
    return [
        Line(
            bench="enqueue",
            figure=figures[ONE],
            against=figures[AIOSQLITE],
            floor=Floor(2 / 3),
        ),
        Line(
            bench="enqueue", figure=figures[HUNDRED], against=figures[SKELETON], floor=Floor(1 / 4)
        ),
    ]


async def run(plan: Plan) -> list[Line]:
    """Measure both, in turns with the limits."""
    async with limits(plan) as machine, inside(plan.new_file("enqueue"), worker=False) as service:
        ours = Enqueuing(service, plan)
        await ours.one_at_a_time()
        cases = {
            AIOSQLITE: machine.aiosqlite,
            ONE: ours.one_at_a_time,
            SKELETON: machine.enqueue,
            HUNDRED: ours.many,
        }
        figures = await take_turns(cases, rounds=plan.rounds, unit="/s")
    return judged(figures)
