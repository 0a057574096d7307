"""What schedulers write: claims, and whatever else a tick does."""

from service.domain import rate
from service.domain.events import EventType
from service.domain.instance import Status
from service.store.claims import Claim, Claims
from service.store.hooks import ClaimHooks
from service.store.retention import Prune, Pruned
from service.store.upkeep import CutLeases, Promote, Reclaim
from tests.store.properties.deed import Deed, Outcome
from tests.store.properties.limits import rate_of
from tests.store.properties.snapshot import QueueRow, Row


class Claiming(Deed):
    """A worker takes what it has room for."""

    write: Claim

    def check(self, answer: object, outcome: Outcome) -> None:
        """It takes what is first, and leaves nothing for which there is room."""
        assert isinstance(answer, Claims)
        ids = [held.id for held in answer.claimed]
        assert len(ids) == len(set(ids)) <= self.write.limit
        started = [e.instance_id for e in outcome.events if e.type is EventType.STARTED]
        assert set(ids) <= set(started)
        if not outcome.alone:
            return
        assert ids == started
        for held in answer.claimed:
            before, after = outcome.before.rows[held.id], outcome.after.rows[held.id]
            assert before.ready
            assert held.name in self.write.names
            assert not _paused(outcome, before)
            assert (after.worker, after.fence) == (self.write.worker, before.fence + 1)
            assert after.lease_until == outcome.now + self.write.lease
            assert (held.fence, held.visit, held.action) == (after.fence, after.visit, after.action)
            assert held.params == (after.input if after.params is None else after.params)
        left = [
            row
            for row in outcome.before.ready()
            if row.id not in ids and row.name in self.write.names and not _paused(outcome, row)
        ]
        for row in left:
            taken = [outcome.before.rows[each] for each in ids]
            assert all(each.place < row.place for each in taken if each.queue == row.queue)
            if len(ids) < self.write.limit:
                self._check_left(row, answer, outcome)

    def _check_left(self, row: Row, answer: Claims, outcome: Outcome) -> None:
        """There was room here: so its queue had none."""
        queue = outcome.after.queues.get(row.queue)
        assert queue is not None
        full = queue.concurrency is not None and (
            outcome.after.running(row.queue) >= queue.concurrency
        )
        spent = _tokens(queue, outcome.now) == 0
        assert full or spent
        assert not full or row.queue in answer.held_back
        if spent and not full:
            assert answer.next_token_at is not None
            assert answer.next_token_at <= _next_token(queue, outcome.now)


class Reclaiming(Deed):
    """Whatever lease ran out is ended."""

    write: Reclaim

    def check(self, answer: object, outcome: Outcome) -> None:
        """It takes what ran out and nothing else, and counts the loss."""
        assert isinstance(answer, list)
        if not outcome.alone:
            return
        due = {row.id for row in outcome.before.rows.values() if _expired(row, outcome.now)}
        assert set(answer) <= due
        assert len(answer) == min(len(due), self.write.limit)
        for each in answer:
            before, after = outcome.before.rows[each], outcome.after.rows[each]
            if before.cancel_requested:
                assert after.status == Status.CANCELLED
            elif before.losses < before.max_lost:
                assert (after.status, after.losses) == (Status.PENDING, before.losses + 1)
                assert after.ready
            else:
                assert after.status == Status.FAILED


class Promoting(Deed):
    """What came due is made ready."""

    write: Promote

    def check(self, answer: object, outcome: Outcome) -> None:
        """As many as there are, and none before its time."""
        if not outcome.alone:
            return
        due = [row for row in outcome.before.rows.values() if _due(row, outcome.now)]
        assert answer == min(len(due), self.write.limit)
        before, after = outcome.before.rows, outcome.after.rows
        promoted = {row.id for row in after.values() if row.ready and not before[row.id].ready}
        assert promoted <= {row.id for row in due}
        assert len(promoted) == answer


class Cutting(Deed):
    """The clock was set back."""

    write: CutLeases

    def check(self, answer: object, outcome: Outcome) -> None:
        """No lease ends later than one that begins now."""
        assert answer is None
        if outcome.alone:
            latest = outcome.now + self.write.lease
            assert all((row.lease_until or 0) <= latest for row in outcome.after.rows.values())


class Pruning(Deed):
    """What is old goes."""

    write: Prune

    def check(self, answer: object, outcome: Outcome) -> None:
        """Nothing that lives, is young, or has a hook to run."""
        assert isinstance(answer, Pruned)
        if not outcome.alone:
            return
        oldest = outcome.now - self.write.age
        hooked = {hook.instance_id for hook in outcome.before.hooks.values()}
        old = {
            row.id
            for row in outcome.before.rows.values()
            if row.finished_at is not None and row.finished_at < oldest and row.id not in hooked
        }
        gone = set(outcome.before.rows) - set(outcome.after.rows)
        assert gone <= old
        assert len(gone) == answer.instances == min(len(old), self.write.limit)
        assert answer.events == outcome.after.pruned - outcome.before.pruned <= self.write.limit
        assert answer.requests == len(outcome.before.requests) - len(outcome.after.requests)


class TakingHooks(Deed):
    """A worker takes terminal hooks to run."""

    write: ClaimHooks

    def check(self, answer: object, outcome: Outcome) -> None:
        """It gets due ones, and holds them for a lease."""
        assert isinstance(answer, list)
        if not outcome.alone:
            return
        due = [hook for hook in outcome.before.hooks.values() if hook.due <= outcome.now]
        assert len(answer) == min(len(due), self.write.limit)
        for each in answer:
            kept = outcome.after.hooks[each.id]
            assert (kept.instance_id, kept.fence) == (each.instance_id, each.fence)
            assert kept.fence == outcome.before.hooks[each.id].fence + 1
            assert kept.due == outcome.now + self.write.lease


def _paused(outcome: Outcome, row: Row) -> bool:
    queue = outcome.before.queues.get(row.queue)
    return queue is not None and bool(queue.paused)


def _expired(row: Row, now: int) -> bool:
    return row.lease_until is not None and row.lease_until <= now


def _due(row: Row, now: int) -> bool:
    waits = row.status == Status.PENDING and not row.ready and not row.blocked
    return waits and row.run_after <= now


def _tokens(queue: QueueRow, now: int) -> int | None:
    limit = rate_of(queue)
    return None if limit is None else rate.available(limit, queue.arrival, now)


def _next_token(queue: QueueRow, now: int) -> int:
    limit = rate_of(queue)
    assert limit is not None
    return rate.next_token_at(limit, queue.arrival, now)
