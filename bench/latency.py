"""From the call that enqueues to the subscriber that sees COMPLETED, ten times a second."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager

from bench.figure import Figure, Line
from bench.http_wire import Connection, post
from bench.inside import ended, inside, request
from bench.mutation import enqueue_body
from bench.plan import Plan
from bench.server import service as serve
from bench.server import worker
from bench.standards import judged
from bench.subscriber import Subscriber, follow_body
from bench.turns import Measure
from service.bootstrap import Service

EVERY = 0.1
PATIENCE = 30.0
ROUNDS = 3
PERCENTS = (50, 99)
COMMIT = "a single durable commit"
PYTHON = "enqueue to COMPLETED, in Python"
APART = "enqueue to COMPLETED, worker in another process"
WIRE = "enqueue to COMPLETED, HTTP to WebSocket"


class Times:
    """When each instance was asked for and when it was seen to be completed."""

    def __init__(self) -> None:
        self._seen: dict[str, asyncio.Future[float]] = {}

    def seen(self, instance_id: str) -> None:
        """Note that it is completed."""
        self._of(instance_id).set_result(time.perf_counter())

    async def ask(self, enqueue: Callable[[], Awaitable[str]], total: int) -> list[float]:
        """Enqueue at an even pace, and return how long each took, in ms, the shortest first."""
        asked: dict[str, float] = {}
        for _ in range(total):
            start = time.perf_counter()
            asked[await enqueue()] = start
            await asyncio.sleep(max(0.0, start + EVERY - time.perf_counter()))
        async with asyncio.timeout(PATIENCE):
            ends = await asyncio.gather(*map(self._of, asked))
        return sorted((end - start) * 1000 for end, start in zip(ends, asked.values(), strict=True))

    def _of(self, instance_id: str) -> asyncio.Future[float]:
        return self._seen.setdefault(instance_id, asyncio.get_running_loop().create_future())


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


@asynccontextmanager
async def _apart(url: str) -> AsyncGenerator[Service]:
    """Open a service here that enqueues and follows, and a worker in another process."""
    async with inside(url, worker=False) as service, worker(url):
        yield service


def percentile(way: str, percent: int) -> str:
    """Return the name of a figure."""
    return f"{way}, p{percent}"


async def run(plan: Plan) -> list[Line]:
    """Measure every way, in turns with single commits at the same pace."""
    total = plan.many(200)
    runs: dict[str, list[list[float]]] = {COMMIT: [], PYTHON: [], APART: [], WIRE: []}
    async with (
        plan.ground.commits(plan.new_database("commits")) as commit,
        inside(plan.new_database("latency"), worker=True) as service,
        _apart(plan.new_database("latency-apart")) as apart,
        serve(plan.new_database("latency-served")) as server,
    ):
        await in_python(service, 5)
        await in_python(apart, 5)
        await over_the_wire(server.port, 5)
        for _ in range(min(plan.rounds, ROUNDS)):
            runs[COMMIT].append(await _paced(commit, total // 4))
            runs[PYTHON].append(await in_python(service, total))
            runs[APART].append(await in_python(apart, total))
            runs[WIRE].append(await over_the_wire(server.port, total))
    figures = {
        percentile(way, percent): _percentile(way, percent, runs[way])
        for way in runs
        for percent in PERCENTS
    }
    return judged("latency", figures, plan.ground.standards)


async def _paced(commit: Measure, total: int) -> list[float]:
    """Return how long each of some commits took, made one each `EVERY` seconds."""
    took: list[float] = []
    for _ in range(total):
        took.append(await commit())
        await asyncio.sleep(EVERY)
    return sorted(took)


def _percentile(way: str, percent: int, runs: list[list[float]]) -> Figure:
    values = [run[min(len(run) - 1, len(run) * percent // 100)] for run in runs]
    return Figure(percentile(way, percent), "ms", values)
