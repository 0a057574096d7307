"""Enqueue over HTTP, beside a bare Strawberry mutation on the same kind of server.

First nobody runs what is enqueued; then the server that is asked runs it too.
"""

from bench.figure import Figure, Floor, Line
from bench.mutation import enqueue_body
from bench.plan import Plan
from bench.server import Server, bare, service
from bench.turns import Measure, take_turns

BARE = "bare Strawberry mutation"
API = "enqueue over HTTP"
WORKING = "enqueue over HTTP, server works too"
FLOOR = Floor(0.6)


def _named(name: str, connections: int) -> str:
    return f"{name}, {connections} connection{'s' if connections > 1 else ''}"


async def run(plan: Plan) -> list[Line]:
    """Measure with 1 and with 32 connections."""
    async with (
        bare() as yardstick,
        service(plan.new_database("http"), "--no-worker") as api,
        service(plan.new_database("http-working")) as working,
    ):
        servers = {BARE: yardstick, API: api, WORKING: working}

        def case(server: Server, connections: int) -> Measure:
            async def measure() -> float:
                seconds = plan.seconds(4)
                return await server.load(
                    enqueue_body("noop"), connections=connections, seconds=seconds
                )

            return measure

        for server in servers.values():
            await server.load(enqueue_body("noop"), connections=4, seconds=0.5)
        cases = {
            _named(name, connections): case(server, connections)
            for connections in (1, 32)
            for name, server in servers.items()
        }
        figures = await take_turns(cases, rounds=plan.rounds, unit="/s")
    return [line for connections in (1, 32) for line in _judged(figures, connections)]


def _judged(figures: dict[str, Figure], connections: int) -> list[Line]:
    yardstick, api, working = (figures[_named(name, connections)] for name in (BARE, API, WORKING))
    floor = FLOOR if connections > 1 else None
    return [
        Line(bench="http", figure=yardstick),
        Line(bench="http", figure=api, against=yardstick, floor=floor),
        Line(bench="http", figure=working, against=yardstick),
    ]
