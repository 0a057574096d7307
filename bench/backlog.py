"""A backlog run down: instances that wait in a paused queue, from its resuming to the last end."""

from bench.figure import Line
from bench.plan import Plan
from bench.standards import judged
from bench.turns import take_turns
from bench.yardsticks import beside


async def run(plan: Plan) -> list[Line]:
    """Measure the backlogs, in turns with the limits and with the peers."""
    async with plan.ground.backlogs(plan) as ours, beside(plan, ours) as yardsticks:
        figures = await take_turns({**yardsticks, **ours}, rounds=plan.rounds, unit="/s")
    return judged("backlog", figures, plan.ground.standards)
