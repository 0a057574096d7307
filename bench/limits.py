"""What the machine can do: the yardsticks of all the rest."""

from bench.figure import Line
from bench.plan import Plan
from bench.standards import judged
from bench.turns import take_turns


async def run(plan: Plan) -> list[Line]:
    """Measure all of them."""
    async with plan.ground.limits(plan) as limits:
        figures = await take_turns(limits, rounds=plan.rounds, unit="/s")
    return judged("limits", figures, plan.ground.standards)
