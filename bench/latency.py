"""From the call that enqueues to the subscriber that sees COMPLETED, ten times a second."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing

from bench import rows, single_row
from bench.figure import Figure, Floor, Line
from bench.http_wire import Connection, post
from bench.inside import ended, inside, request
from bench.mutation import enqueue_body
from bench.plan import Plan
from bench.server import service as serve
from bench.subscriber import Subscriber, follow_body
from service.bootstrap import Service

EVERY = 0.1
ROUNDS = 3
FLOORS = {50: Floor(6.0, at_most=True), 99: Floor(25.0, at_most=True)}
COMMIT = "a single durable commit, sqlite3"
PYTHON = "enqueue to COMPLETED, in Python"
WIRE = "enqueue to COMPLETED, HTTP to WebSocket"


class Times:
    """When each instance was asked for and when it was seen to be completed."""

    def __init__(self) -> None:
        self._asked: dict[str, float] = {}
        self._seen: dict[str, float] = {}

    def seen(self, instance_id: str) -> None:
        """Note that it is completed."""
        self._seen[instance_id] = time.perf_counter()

    async def ask(self, enqueue: Callable[[], Awaitable[str]], total: int) -> list[float]:
        """Enqueue at an even pace, and return how long each took, in ms, the shortest first."""
        for _ in range(total):
            start = time.perf_counter()
            self._asked[await enqueue()] = start
            await asyncio.sleep(max(0.0, start + EVERY - time.perf_counter()))
        await asyncio.sleep(1)
        return sorted((self._seen[each] - start) * 1000 for each, start in self._asked.items())


async def in_python(service: Service, total: int) -> list[float]:
    """Return the latencies in ms: an enqueue of ours, a follower in the same process."""
    times = Times()

    async def watch() -> None:
        async with aclosing(ended(service, "noop", None)) as batches:
            async for batch in batches:
                for event in batch:
                    times.seen(event.instance_id)

    async def enqueue() -> str:
        return (await service.workflows.enqueue(request("noop"))).instance.id

    watching = asyncio.create_task(watch())
    await asyncio.sleep(0.1)
    try:
        return await times.ask(enqueue, total)
    finally:
        watching.cancel()


async def over_the_wire(port: int, total: int) -> list[float]:
    """Return the latencies in ms: a mutation over HTTP, a subscriber over a WebSocket."""
    times = Times()
    loop = asyncio.get_running_loop()
    answers: asyncio.Queue[bytes] = asyncio.Queue()

    def seen(message: bytes) -> None:
        times.seen(json.loads(message)["payload"]["data"]["workflowEvents"]["instanceID"])

    subscriber = Subscriber(port, seen)
    await subscriber.open(follow_body(types=["COMPLETED"]))
    _, connection = await loop.create_connection(
        lambda: Connection(lambda _, head, body: answers.put_nowait(body)), "127.0.0.1", port
    )
    asked = post("/graphql", enqueue_body("noop"), port)

    async def enqueue() -> str:
        connection.send(asked)
        answer = json.loads(await answers.get())
        return answer["data"]["enqueue"]["instance"]["instanceID"]

    try:
        return await times.ask(enqueue, total)
    finally:
        connection.close()
        subscriber.close()


async def run(plan: Plan) -> list[Line]:
    """Measure both ways, in turns with single commits at the same pace."""
    total = plan.many(200)
    runs: dict[str, list[list[float]]] = {COMMIT: [], PYTHON: [], WIRE: []}
    commits = plan.new_file("commits")
    rows.create(commits)
    async with (
        inside(plan.new_file("latency"), worker=True) as service,
        serve(plan.new_file("latency-served")) as server,
    ):
        await in_python(service, 5)
        await over_the_wire(server.port, 5)
        for _ in range(min(plan.rounds, ROUNDS)):
            runs[COMMIT].append(await single_row.paced(commits, total // 4, EVERY))
            runs[PYTHON].append(await in_python(service, total))
            runs[WIRE].append(await over_the_wire(server.port, total))
    return [
        Line(bench="latency", figure=_percentile(COMMIT, 50, runs[COMMIT])),
        *(
            Line(bench="latency", figure=_percentile(way, percent, runs[way]), floor=floor)
            for way in (PYTHON, WIRE)
            for percent, floor in FLOORS.items()
        ),
    ]


def _percentile(name: str, percent: int, runs: list[list[float]]) -> Figure:
    values = [run[min(len(run) - 1, len(run) * percent // 100)] for run in runs]
    return Figure(f"{name}, p{percent}", "ms", values)
