"""A backlog run down: instances that wait in a paused queue, from its resuming to the last end."""

import time
from contextlib import aclosing

from bench.dbos_peer import install
from bench.figure import Figure, Floor, Line
from bench.inside import ended, enqueue_paused, inside, request
from bench.limits import JOB_LIFE, limits
from bench.plan import Plan
from bench.turns import Measure, take_turns
from service.bootstrap import Service

ONE_ACTION = "backlog of one-action instances"
THREE_ACTIONS = "backlog of three-action instances"
DBOS = "DBOS, the same no-op"


async def drain(service: Service, name: str, total: int) -> float:
    """Return how many instances of a backlog were completed a second.

    The last one arrives when the queue is resumed, since that is what wakes a worker at once.
    """
    cursor = await enqueue_paused(service, name, total - 1)
    left = total
    start = time.perf_counter()
    await service.queues.resume(name)
    await service.workflows.enqueue(request(name))
    async with aclosing(ended(service, name, cursor)) as batches:
        async for batch in batches:
            left -= len(batch)
            if left == 0:
                break
    return total / (time.perf_counter() - start)


def drain_of(service: Service, name: str, total: int) -> Measure:
    """Return what measures such a backlog."""

    async def measure() -> float:
        return await drain(service, name, total)

    return measure


async def run(plan: Plan) -> list[Line]:
    """Measure both backlogs, in turns with the job-life limit and with DBOS."""
    dbos = await install(plan)
    async with limits(plan) as machine, inside(plan.new_file("backlog"), worker=True) as service:
        await drain(service, "noop", 200)
        await drain(service, "three", 200)
        total = plan.many(5_000)
        cases: dict[str, Measure] = {
            JOB_LIFE: machine.job_life,
            ONE_ACTION: drain_of(service, "noop", total),
            THREE_ACTIONS: drain_of(service, "three", total),
        }
        if dbos is not None:
            cases[DBOS] = dbos.noops
        figures = await take_turns(cases, rounds=plan.rounds, unit="/s")
    return _judged(figures)


def _judged(figures: dict[str, Figure]) -> list[Line]:
    one, three, life = figures[ONE_ACTION], figures[THREE_ACTIONS], figures[JOB_LIFE]
    lines = [
        Line(bench="backlog", figure=life),
        Line(bench="backlog", figure=one, against=life, floor=Floor(0.15)),
        Line(bench="backlog", figure=three, against=life, floor=Floor(0.05)),
    ]
    dbos = figures.get(DBOS)
    if dbos is not None:
        lines += [
            Line(bench="backlog", figure=dbos),
            Line(bench="backlog", figure=one, against=dbos, floor=Floor(20)),
        ]
    return lines
