"""The same figures on a database that has a history, or that is full of other work.

The databases are seeded once; then they take turns with an empty one.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from bench.drain import drain
from bench.enqueue import Enqueuing
from bench.figure import Floor, Line
from bench.inside import inside
from bench.mutation import enqueue_body
from bench.plan import Plan
from bench.server import service as serve
from bench.turns import Measure, take_turns

EMPTY = "nothing else"
Task = Callable[[str, Plan], Awaitable[float]]


async def enqueue_in_python(url: str, plan: Plan) -> float:
    """Return the enqueues a second with a hundred in flight."""
    async with inside(url, worker=False) as service:
        rate = await Enqueuing(service, plan).many()
    await asyncio.to_thread(plan.ground.empty_queue, url)
    return rate


async def enqueue_over_http(url: str, plan: Plan) -> float:
    """Return the enqueues a second over 32 connections."""
    async with serve(url, "--no-worker") as server:
        seconds = plan.seconds(3)
        rate = await server.load(enqueue_body("noop"), connections=32, seconds=seconds)
    await asyncio.to_thread(plan.ground.empty_queue, url)
    return rate


async def one_action_backlog(url: str, plan: Plan) -> float:
    """Return the one-action instances completed a second."""
    async with inside(url, worker=True) as service:
        return await drain(service, "noop", plan.many(5_000))


async def three_action_backlog(url: str, plan: Plan) -> float:
    """Return the three-action instances completed a second."""
    async with inside(url, worker=True) as service:
        return await drain(service, "three", plan.many(5_000))


TASKS: Mapping[str, Task] = {
    "enqueue in Python, 100 in flight": enqueue_in_python,
    "enqueue over HTTP, 32 connections": enqueue_over_http,
    "backlog of one-action instances": one_action_backlog,
    "backlog of three-action instances": three_action_backlog,
}


def _databases(plan: Plan) -> dict[str, str]:
    urls = {EMPTY: plan.new_database("empty")}
    for count in (100_000, 1_000_000):
        name = f"{count:,} finished"
        print(f"  seeding {name} …", flush=True)
        urls[name] = plan.new_database("finished")
        plan.ground.fill_with_finished(urls[name], plan.many(count))
    pending = 50_000
    other = f"{pending:,} pending in other queues"
    urls[other] = plan.new_database("waiting")
    plan.ground.fill_with_waiting(urls[other], plan.many(pending))
    return urls


async def run(plan: Plan) -> list[Line]:
    """Measure each task on each database."""
    urls = await asyncio.to_thread(_databases, plan)
    lines: list[Line] = []
    for task_name, task in TASKS.items():
        cases = {name: _case(task, url, plan) for name, url in urls.items()}
        figures = await take_turns(cases, rounds=plan.rounds, unit="/s")
        base = figures[EMPTY]
        for figure in figures.values():
            named = figure.renamed(f"{task_name}: {figure.name}")
            if figure is base:
                lines.append(Line(bench="scale", figure=named))
            else:
                lines.append(Line(bench="scale", figure=named, against=base, floor=Floor(0.8)))
    return lines


def _case(task: Task, url: str, plan: Plan) -> Measure:
    async def measure() -> float:
        return await task(url, plan)

    return measure
