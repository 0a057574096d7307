"""A database with two processes on it, and a witness that looks after every change."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Any

from service.domain.cursor import LogCursor
from service.domain.errors import CursorExpired
from service.domain.instance import Claimed, Status
from service.domain.interest import EVERYTHING
from service.store.database import Database
from service.store.opening import open_database
from service.store.upkeep import Agenda, renew
from tests.clock import FakeClock
from tests.store.properties.by_worker import Finishing
from tests.store.properties.deed import Deed, Outcome
from tests.store.properties.faulty import Fault
from tests.store.properties.limits import Limits
from tests.store.properties.process import Process, lost
from tests.store.properties.snapshot import Row, Snapshot, take
from tests.store.properties.witness import Witness

PROCESSES = 2
HEARING = 10.0
"""Seconds within which a process must have heard what was committed."""

Lend = Callable[[FakeClock], AbstractContextManager[str]]
"""Lends a fresh database, by its URL, in which this clock judges."""


class World:
    """Everything runs on one event loop, one thing after the other, so that it can be replayed."""

    def __init__(self, lend: Lend) -> None:
        self._lent = ExitStack()
        self.clock = FakeClock()
        self._url = self._lent.enter_context(lend(self.clock))
        self._runner = asyncio.Runner()
        self._run = self._runner.run
        self.limits = Limits(self.clock)
        self.processes = [self._run(Process.open(self._url, self.clock)) for _ in range(PROCESSES)]
        self._reading: Database = self._run(
            open_database(self._url, busy_timeout=30, clock=self.clock)
        )
        self.witness = Witness(self._take(), self.limits)

    @property
    def now(self) -> Snapshot:
        """Return what there is."""
        return self.witness.last

    def do(
        self, deeds: Sequence[Deed], process: int = 0, fault: Fault | None = None
    ) -> list[tuple[Deed, Any]]:
        """Write all of them at once, repeat what was not heard, and return what was answered."""
        writer, before = self.processes[process], self.now
        told = len(writer.fed)
        answers = self._write(writer, deeds, fault)
        alone = len(deeds) == 1
        unheard = [lost(answer) for answer in answers]
        again = [index for index, deed in enumerate(deeds) if unheard[index] and deed.repeatable]
        if alone and unheard[0] and fault is not Fault.UNHEARD:
            assert self.now == before
        if again:
            middle = self.now
            repeated = self._write(writer, [deeds[index] for index in again])
            for index, answer in zip(again, repeated, strict=True):
                answers[index] = answer
            if alone and fault is Fault.UNHEARD:
                assert self.now == middle, "the repetition changed something"
        self._check_fed(writer, told)
        heard: list[tuple[Deed, Any]] = []
        for deed, answer, missed in zip(deeds, answers, unheard, strict=True):
            if not lost(answer):
                outcome = Outcome(
                    before=before,
                    after=self.now,
                    now=self.clock.now(),
                    alone=alone,
                    unheard=missed and fault is Fault.UNHEARD,
                )
                deed.check(answer, outcome)
                heard.append((deed, answer))
        return heard

    def again(self, deed: Deed, process: int = 0) -> Any:
        """Do once more what was answered before, and return the answer; nothing may change."""
        before = self.now
        [answer] = self._write(self.processes[process], [deed])
        assert self.now == before
        return answer

    def look(self) -> None:
        """Let the witness see what there is now."""
        self.witness.look(self._take())

    def renew(self, held: Sequence[Claimed], lease: int) -> list[bool | None]:
        """Beat once for everything that is held, or believed to be."""
        session = self.processes[0].store.session()
        held = list({(each.id, each.fence): each for each in held}.values())
        pairs = [(each.id, each.fence) for each in held]
        try:
            answers = session.transaction(lambda tx: renew(tx, pairs, lease))
        finally:
            session.close()
        before = self.now
        self.look()
        until = self.clock.now() + lease
        for each, answer in zip(held, answers, strict=True):
            row = before.rows.get(each.id)
            good = row is not None and (row.status, row.fence) == (Status.RUNNING, each.fence)
            assert answer == (bool(row.cancel_requested) if row is not None and good else None)
            if good:
                assert self.now.rows[each.id].lease_until == until
        return answers

    def pass_time(self, seconds: float) -> None:
        """Let time pass on both clocks."""
        self._run(self.clock.advance(seconds))

    def set_wall(self, seconds: float) -> None:
        """Set the wall clock, which judges, forward or back."""
        self.clock.set_wall(seconds)
        self.limits.jumps += seconds > 0

    def reopen(self, process: int) -> None:
        """End a process as it stands, and start another in its place."""
        self._run(self.processes[process].store.close())
        self.processes[process] = self._run(Process.open(self._url, self.clock))

    def check_agenda(self) -> None:
        """A scheduler is told of everything that waits for it, and lists count it."""
        store = self.processes[0].store
        rows = list(self.now.rows.values())
        later = [row.run_after for row in rows if _later(row)]
        leases = [row.lease_until for row in rows if row.lease_until is not None]
        dues = [hook.due for hook in self.now.hooks.values()]
        assert self._run(store.agenda()) == Agenda(
            self.clock.now(),
            min(later, default=None),
            min(leases, default=None),
            any(row.ready for row in rows),
            min(dues, default=None),
        )
        for process in self.processes:
            self._run(process.hear(self.now.head, HEARING))
        for view in self._run(store.queues.list([])):
            mine = [row.status for row in rows if row.queue == view.name]
            assert view.pending == mine.count(Status.PENDING)
            assert view.running == mine.count(Status.RUNNING)

    def follow(self, which: int) -> None:
        """Read on from the cursor of an event: every later one is there, once."""
        log, store = self.witness.log, self.processes[0].store
        event = log[-1 - which % len(log)]
        try:
            position = self._run(store.events.resolve(LogCursor(event.position, event.mark)))
        except CursorExpired:
            assert event.position <= self.now.pruned
            return
        assert position == event.position
        found, searched = self._run(store.events.after(position, EVERYTHING, len(log)))
        assert list(found) == log[position:searched]

    def close(self) -> None:
        """Put everything away."""
        for process in self.processes:
            self._run(process.store.close())
        self._run(self._reading.close())
        self._runner.close()
        self._lent.close()

    def _write(
        self, writer: Process, deeds: Sequence[Deed], fault: Fault | None = None
    ) -> list[Any]:
        self.witness.finishing = {
            (deed.hook.id, deed.hook.instance_id, deed.hook.fence)
            for deed in deeds
            if isinstance(deed, Finishing) and deed.delay is None
        }
        answers = self._run(writer.do(deeds, fault))
        self.look()
        return answers

    def _take(self) -> Snapshot:
        return self._run(self._reading.read(take))

    def _check_fed(self, writer: Process, told: int) -> None:
        """What was handed on is what the log holds, in its order."""
        fed = writer.fed[told:]
        positions = [event.position for event in fed]
        assert positions == sorted(set(positions))
        assert all(event == self.witness.log[event.position - 1] for event in fed)


def _later(row: Row) -> bool:
    return row.status == Status.PENDING and not row.ready and not row.blocked
