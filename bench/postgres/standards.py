"""What the figures on PostgreSQL are judged by."""

from bench import enqueue, idle, latency
from bench.drain import ONE_ACTION, THREE_ACTIONS
from bench.figure import Floor
from bench.peer import ABSURD, DBOS, PROCRASTINATE
from bench.postgres.backlog import by
from bench.postgres.limits import FIFTY, SINGLE, SKELETON, SKELETON_NOOP, SKELETON_THREE
from bench.standards import Standard, Standards

_PROCESSES = (idle.SERVER, idle.CROWDED, idle.WORKER)

STANDARDS: Standards = {
    enqueue.ONE: [Standard(against=SINGLE)],
    enqueue.HUNDRED: [Standard(against=FIFTY), Standard(against=SKELETON)],
    by(ONE_ACTION, 1): [
        Standard(against=SKELETON_NOOP, floor=Floor(0.2)),
        Standard(against=PROCRASTINATE, floor=Floor(8)),
        Standard(against=DBOS, floor=Floor(5)),
    ],
    by(THREE_ACTIONS, 1): [
        Standard(against=SKELETON_THREE),
        Standard(against=ABSURD, floor=Floor(10)),
    ],
    **{
        by(kind, 2): [Standard(against=by(kind, 1), floor=Floor(1.0))]
        for kind in (ONE_ACTION, THREE_ACTIONS)
    },
    **{by(kind, 4): [Standard(against=by(kind, 1))] for kind in (ONE_ACTION, THREE_ACTIONS)},
    **{
        latency.percentile(way, 50): [Standard(floor=Floor(8.0, at_most=True))]
        for way in (latency.PYTHON, latency.APART, latency.WIRE)
    },
    **{
        idle.named(who, unit): [Standard(floor=Floor(bound, at_most=True))]
        for who in _PROCESSES
        for unit, bound in ((idle.CPU, 0.5), (idle.STATEMENTS, 2.0))
    },
}
