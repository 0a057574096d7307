"""The same figures on a database that has a history, or that is full of other work.

The databases are seeded once; then they take turns with an empty one.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from bench import rows, seed
from bench.backlog import drain
from bench.enqueue import Enqueuing
from bench.figure import Floor, Line
from bench.inside import inside
from bench.mutation import enqueue_body
from bench.plan import Plan
from bench.server import service as serve
from bench.turns import Measure, take_turns

EMPTY = "nothing else"
Task = Callable[[Path, Plan], Awaitable[float]]


async def enqueue_in_python(path: Path, plan: Plan) -> float:
    """Return the enqueues a second with a hundred in flight."""
    async with inside(path, worker=False) as service:
        rate = await Enqueuing(service, plan).many()
    await empty_queue(path)
    return rate


async def enqueue_over_http(path: Path, plan: Plan) -> float:
    """Return the enqueues a second over 32 connections."""
    async with serve(path, "--no-worker") as server:
        seconds = plan.seconds(3)
        rate = await server.load(enqueue_body("noop"), connections=32, seconds=seconds)
    await empty_queue(path)
    return rate


async def one_action_backlog(path: Path, plan: Plan) -> float:
    """Return the one-action instances completed a second."""
    async with inside(path, worker=True) as service:
        return await drain(service, "noop", plan.many(5_000))


async def three_action_backlog(path: Path, plan: Plan) -> float:
    """Return the three-action instances completed a second."""
    async with inside(path, worker=True) as service:
        return await drain(service, "three", plan.many(5_000))


TASKS: Mapping[str, Task] = {
    "enqueue in Python, 100 in flight": enqueue_in_python,
    "enqueue over HTTP, 32 connections": enqueue_over_http,
    "backlog of one-action instances": one_action_backlog,
    "backlog of three-action instances": three_action_backlog,
}


async def empty_queue(path: Path) -> None:
    """Take away what was enqueued for nobody, so that each turn finds the same."""
    await asyncio.to_thread(_empty_queue, path)


def _empty_queue(path: Path) -> None:
    connection = rows.connect(path)
    connection.execute("DELETE FROM instances WHERE queue = 'noop' AND status = 'PENDING'")
    connection.execute("PRAGMA wal_checkpoint(truncate)")
    connection.close()


def _databases(plan: Plan) -> dict[str, Path]:
    finished = {f"{count:,} finished": count for count in (100_000, 1_000_000)}
    pending = 50_000
    paths = {EMPTY: plan.new_file("empty")}
    rows.create(paths[EMPTY])
    for name, count in finished.items():
        paths[name] = plan.new_file("finished")
        print(f"  seeding {name} …", flush=True)
        seed.finished(paths[name], plan.many(count))
    other = f"{pending:,} pending in other queues"
    paths[other] = plan.new_file("waiting")
    seed.waiting(paths[other], plan.many(pending))
    return paths


async def run(plan: Plan) -> list[Line]:
    """Measure each task on each database."""
    paths = await asyncio.to_thread(_databases, plan)
    lines: list[Line] = []
    for task_name, task in TASKS.items():
        cases = {name: _case(task, path, plan) for name, path in paths.items()}
        figures = await take_turns(cases, rounds=plan.rounds, unit="/s")
        base = figures[EMPTY]
        for figure in figures.values():
            named = figure.renamed(f"{task_name}: {figure.name}")
            if figure is base:
                lines.append(Line(bench="scale", figure=named))
            else:
                lines.append(Line(bench="scale", figure=named, against=base, floor=Floor(0.8)))
    return lines


def _case(task: Task, path: Path, plan: Plan) -> Measure:
    async def measure() -> float:
        return await task(path, plan)

    return measure
