"""What the figures on SQLite are judged by."""

from bench import drain, enqueue, idle, latency
from bench.figure import Floor
from bench.peer import DBOS
from bench.sqlite.limits import AIOSQLITE, JOB_LIFE, SKELETON
from bench.standards import Standard, Standards

STANDARDS: Standards = {
    enqueue.ONE: [Standard(against=AIOSQLITE, floor=Floor(2 / 3))],
    enqueue.HUNDRED: [Standard(against=SKELETON, floor=Floor(1 / 4))],
    drain.ONE_ACTION: [
        Standard(against=JOB_LIFE, floor=Floor(0.15)),
        Standard(against=DBOS, floor=Floor(20)),
    ],
    drain.THREE_ACTIONS: [Standard(against=JOB_LIFE, floor=Floor(0.05))],
    **{
        latency.percentile(way, percent): [Standard(floor=Floor(bound, at_most=True))]
        for way in (latency.PYTHON, latency.WIRE)
        for percent, bound in ((50, 6.0), (99, 25.0))
    },
    **{
        idle.named(who, idle.CPU): [Standard(floor=Floor(0.5, at_most=True))]
        for who in (idle.SERVER, idle.CROWDED)
    },
}
