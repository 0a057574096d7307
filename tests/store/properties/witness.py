"""Has seen every state of a database so far, and holds each next one against it."""

from collections import Counter

from pydantic_core import from_json

from service.domain.events import TERMINAL, Event, EventType
from service.domain.instance import LIVE, Status
from service.domain.moves import MOVES
from tests.store.properties.limits import Limits
from tests.store.properties.snapshot import HookRow, Row, Snapshot

UNTOLD = frozenset({"ready", "blocked", "lease_until"})
"""What may change of an instance without an event that tells of it."""


class Witness:
    """`log` is every event that ever was, also when it was pruned since.

    `finishing` are the hooks that are being finished now, by id, instance and fence.
    """

    def __init__(self, first: Snapshot, limits: Limits) -> None:
        self.last = first
        self.log: list[Event] = []
        self.limits = limits
        self.finishing: set[tuple[int, str, int]] = set()
        self._standing: dict[str, Status] = {}
        self._told: Counter[tuple[str, EventType]] = Counter()
        self._hooks: Counter[str] = Counter()

    def look(self, now: Snapshot) -> None:
        """Hold the state against all that was seen."""
        new = self._read_log(now)
        for event in new:
            self._walk(event)
        self._compare(now, {event.instance_id for event in new}, _requeued(new))
        self._check_freed(now, new)
        for row in now.rows.values():
            check_shape(row)
            self._agree(now, row)
        lost = {each for each, status in self._standing.items() if status in LIVE} - set(now.rows)
        assert not lost, "these were told of, and are not there"
        check_singletons(now)
        self._follow_hooks(now, new)
        self.limits.look(self.last, now, new)
        self.last = now

    def _read_log(self, now: Snapshot) -> list[Event]:
        """Positions are contiguous, what was written stays, and no end is cut but the old one."""
        positions = [event.position for event in now.events]
        assert positions == list(range(now.pruned + 1, now.head + 1))
        assert self.last.pruned <= now.pruned <= len(self.log) <= now.head
        assert now.head == 0 or now.events, "the head's event is kept"
        assert now.head_mark == (now.events[-1].mark if now.events else now.origin)
        kept = len(self.log) - now.pruned
        assert list(now.events[:kept]) == self.log[now.pruned :]
        new = list(now.events[kept:])
        self.log += new
        return new

    def _walk(self, event: Event) -> None:
        """Each event tells of a move that the instance could make from where it stood."""
        stood = self._standing.get(event.instance_id)
        assert any(
            (move.event, move.target) == (event.type, event.status)
            and (stood in move.sources if stood else not move.sources)
            for move in MOVES
        ), f"{event.type} from {stood} to {event.status}"
        self._standing[event.instance_id] = event.status
        self._told[event.instance_id, event.type] += 1

    def _compare(self, now: Snapshot, told: set[str], requeued: set[str]) -> None:
        """What ended stays as it is, and nothing goes on untold."""
        for before in self.last.rows.values():
            after = now.rows.get(before.id)
            if after is None:
                assert before.ended, f"{before} was pruned"
            elif before.ended and before.id not in requeued:
                assert after == before
            elif before.id not in told:
                changed = {name for name in Row.__slots__ if _differ(name, before, after)}
                assert changed <= UNTOLD, f"{changed} of {before.id} changed untold"
                assert before.ready <= after.ready
                assert before.blocked >= after.blocked

    def _check_freed(self, now: Snapshot, new: list[Event]) -> None:
        """Whatever is blocked no more was freed by an end, whose event says so."""
        told = {from_json(event.data)["unblocked"] for event in new if event.data}
        freed = {
            row.id
            for row in self.last.rows.values()
            if row.blocked and row.id in now.rows and not now.rows[row.id].blocked
        }
        assert freed - _requeued(new) <= told
        assert not any(now.rows[each].blocked for each in told)

    def _agree(self, now: Snapshot, row: Row) -> None:
        """The row is what its events tell."""
        assert row.status == self._standing[row.id]
        assert row.fence == self._told[row.id, EventType.STARTED]
        failed = self._told[row.id, EventType.RETRYING] + self._told[row.id, EventType.FAILED]
        assert now.failures.get(row.id, 0) == failed

    def _follow_hooks(self, now: Snapshot, new: list[Event]) -> None:
        """Each end of a hooked instance is one hook, which goes only when it was run."""
        for hook in self.last.hooks.values():
            kept = now.hooks.get(hook.id)
            if kept is None or kept.instance_id != hook.instance_id:
                assert _named(hook) in self.finishing, f"{hook} was never run"
                self._hooks[hook.instance_id] -= 1
        for event in new:
            row = now.rows.get(event.instance_id)
            if event.type in TERMINAL and row is not None and row.hooked:
                self._hooks[event.instance_id] += 1
        present = Counter(hook.instance_id for hook in now.hooks.values())
        assert present == +self._hooks
        self.finishing.clear()


def check_shape(row: Row) -> None:
    """Every row is one of: ended, running under a lease, claimable, due later, or blocked."""
    running, pending = row.status == Status.RUNNING, row.status == Status.PENDING
    assert row.ended or running or pending
    assert row.ended == (row.finished_at is not None)
    assert running == (row.lease_until is not None) == (row.worker is not None)
    assert pending or not row.ready
    assert not (row.ready and row.blocked)
    assert not (running and row.blocked)
    assert (row.output is not None) == (row.status == Status.COMPLETED)
    assert not row.cancel_requested or row.status in {
        Status.RUNNING,
        Status.CANCELLED,
        Status.COMPLETED,
    }
    assert row.ended or row.losses <= row.max_lost


def check_singletons(now: Snapshot) -> None:
    """One living instance of a key can go, and whatever is blocked stands behind it."""
    keys = {(row.name, row.singleton_key) for row in now.rows.values() if row.singleton_key}
    for name, key in keys:
        living = now.living(name, key)
        holders = [row for row in living if not row.blocked]
        assert len(holders) == (1 if living else 0), f"{living} of {key}"
        assert len(living) <= 2, "at most one is blocked: it has replaced all others"
    assert all(row.singleton_key for row in now.rows.values() if row.blocked), (
        "nothing is blocked but for its key"
    )


def _requeued(new: list[Event]) -> set[str]:
    return {event.instance_id for event in new if event.type is EventType.REQUEUED}


def _differ(name: str, before: Row, after: Row) -> bool:
    return getattr(before, name) != getattr(after, name)


def _named(hook: HookRow) -> tuple[int, str, int]:
    return (hook.id, hook.instance_id, hook.fence)
