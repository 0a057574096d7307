"""What may happen to a database, as rules that hypothesis puts in any order."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from service.domain.clock import SECOND
from service.domain.errors import IdempotencyConflict, NotFound
from service.domain.instance import Claimed, Status
from service.domain.transitions import Progression, Transition
from service.store.claims import Claim
from service.store.hooks import ClaimHooks, DueHook
from service.store.queues import DeclareQueues
from service.store.retention import Prune
from service.store.upkeep import Reclaim
from tests.store.properties import chances
from tests.store.properties.by_hand import Cancelling, Declaring, Pausing, Requeueing
from tests.store.properties.by_worker import Finishing, Moving
from tests.store.properties.deed import Deed
from tests.store.properties.ending import end_everything
from tests.store.properties.enqueueing import Enqueueing
from tests.store.properties.faulty import Fault
from tests.store.properties.upkeep import Claiming, Pruning, Reclaiming, TakingHooks
from tests.store.properties.world import PROCESSES, Lend, World

NAMES = frozenset({"alpha", "beta"})
BAD_ENDS = frozenset({Status.FAILED, Status.CANCELLED})


class Life(RuleBasedStateMachine):
    """`held` is what workers believe to hold; `gone` is what they let go, finished or forgot.

    A rule whose write may `wait` leaves it to be committed together with the next ones.
    """

    def __init__(self, lend: Lend) -> None:
        super().__init__()
        self.world = World(lend)
        self.held: list[Claimed] = []
        self.gone: list[Claimed] = []
        self.hooks: list[DueHook] = []
        self.heard: list[tuple[Deed, Any]] = []
        self.waiting: list[Deed] = []
        self.process = 0
        self.fault: Fault | None = None
        self.sound = True
        self._do(Declaring(DeclareQueues(policies=chances.POLICIES)))

    @initialize(facts=st.lists(chances.launches, min_size=1, max_size=8), ask=chances.asks)
    def begin(self, facts: list[dict[str, Any]], ask: chances.Ask) -> None:
        """Begin with work under way."""
        for each in facts:
            self._do(Enqueueing([chances.launch(each)], ask.request()), wait=True)
        claim = Claim(worker="w1", names=NAMES, limit=3, lease=chances.LEASE)
        self._do(Claiming(claim))

    # What callers do.

    @rule(facts=st.lists(chances.launches, min_size=1, max_size=3), ask=chances.asks)
    def enqueue(self, facts: list[dict[str, Any]], ask: chances.Ask) -> None:
        launches = [chances.launch(each) for each in facts]
        self._ask(Enqueueing(launches, ask.request()), ask)

    @precondition(lambda self: self.world.now.rows)
    @rule(which=chances.picks, ask=chances.asks)
    def cancel(self, which: int, ask: chances.Ask) -> None:
        self._ask(Cancelling(self._row(which), ask.request()), ask)

    @precondition(lambda self: self.world.now.rows)
    @rule(which=chances.picks, ask=chances.asks)
    def requeue(self, which: int, ask: chances.Ask) -> None:
        rows = list(self.world.now.rows.values())
        bad = [row for row in rows if row.status in BAD_ENDS] if which % 4 else []
        chosen = bad or rows
        self._ask(Requeueing(chosen[-1 - which % len(chosen)].id, ask.request()), ask)

    @rule(queue=chances.queues, paused=st.sampled_from([False, False, True]), ask=chances.asks)
    def pause(self, queue: str, paused: bool, ask: chances.Ask) -> None:
        self._ask(Pausing(queue, ask.request(), paused=paused), ask)

    @precondition(lambda self: self.heard)
    @rule(which=chances.picks, otherwise=st.booleans())
    def ask_again(self, which: int, otherwise: bool) -> None:
        """Repeat what was answered long ago: the first answer comes, and nothing changes.

        To ask for something else under its requestID is refused.
        """
        self._flush()
        deed, first = self.heard[-1 - which % len(self.heard)]
        request = chances.request_of(deed)
        if request.id not in self.world.now.requests:
            return
        if otherwise:
            deed = Pausing("free", replace(request, fingerprint="other"), paused=True)
        answer = self.world.again(deed, self.process)
        if otherwise:
            assert isinstance(answer, IdempotencyConflict)
        else:
            assert isinstance(answer, NotFound) or chances.told(answer) == first

    # What workers do.

    @rule(worker=chances.workers, lease=chances.leases, wait=chances.waits)
    def claim(self, worker: str, lease: int, wait: bool) -> None:
        self._do(Claiming(Claim(worker=worker, names=NAMES, limit=6, lease=lease)), wait)

    @rule(worker=chances.workers, name=st.sampled_from(sorted(NAMES)), limit=st.integers(1, 3))
    def claim_a_few(self, worker: str, name: str, limit: int) -> None:
        names = frozenset({name})
        self._do(Claiming(Claim(worker=worker, names=names, limit=limit, lease=chances.LEASE)))

    @precondition(lambda self: self.held)
    @rule(which=chances.picks, make=chances.ways_on, wait=chances.waits)
    def go_on(self, which: int, make: chances.Make, wait: bool) -> None:
        self._do(Moving(make(self._let_go(which))), wait)

    @precondition(lambda self: self.held)
    @rule(which=chances.picks, make=chances.ways_out, wait=chances.waits)
    def get_out(self, which: int, make: chances.Make, wait: bool) -> None:
        self._do(Moving(make(self._let_go(which))), wait)

    @precondition(lambda self: self.gone)
    @rule(which=chances.picks, make=chances.ways_on | chances.ways_out, wait=chances.waits)
    def move_too_late(self, which: int, make: chances.Make, wait: bool) -> None:
        self._do(Moving(make(self.gone[-1 - which % len(self.gone)])), wait)

    @precondition(lambda self: self.held)
    @rule(lease=chances.leases)
    def beat(self, lease: int) -> None:
        self._flush()
        self.world.renew(self.held + self.gone[-3:], lease)

    @rule(limit=st.integers(1, 3), wait=chances.waits)
    def take_hooks(self, limit: int, wait: bool) -> None:
        claim = ClaimHooks(names=sorted(NAMES), limit=limit, lease=10 * SECOND)
        self._do(TakingHooks(claim), wait)

    @precondition(lambda self: self.hooks)
    @rule(which=chances.picks, delay=st.sampled_from([None, SECOND]), wait=chances.waits)
    def finish_hook(self, which: int, delay: int | None, wait: bool) -> None:
        self._do(Finishing(self.hooks[-1 - which % len(self.hooks)], delay), wait)

    # What schedulers do.

    @rule(deed=chances.upkeep, wait=chances.waits)
    def keep_up(self, deed: Deed, wait: bool) -> None:
        self._do(deed, wait)

    @rule(age=st.sampled_from([0, 60, 7200]), limit=st.integers(1, 10), wait=chances.waits)
    def prune(self, age: int, limit: int, wait: bool) -> None:
        self._do(Pruning(Prune(age=age * SECOND, limit=limit)), wait)

    @rule(policies=chances.policies)
    def declare(self, policies: chances.Policies) -> None:
        self._flush()
        self._do(Declaring(DeclareQueues(policies=policies)))

    # What goes wrong, and what passes.

    @precondition(lambda self: self.held)
    @rule(worker=st.integers(0, 2), noticed_after=st.sampled_from([None, 9, 31]))
    def crash(self, worker: int, noticed_after: int | None) -> None:
        """A worker forgets what it holds; some of it may yet come back."""
        self.gone += self.held[worker::3]
        del self.held[worker::3]
        if noticed_after is not None:
            self.world.pass_time(noticed_after)
            self._do(Reclaiming(Reclaim(limit=5)))

    @rule(process=st.integers(0, PROCESSES - 1), afresh=st.booleans())
    def turn_to(self, process: int, afresh: bool) -> None:
        """Go on in another process, or in a new one in its place."""
        self._flush()
        self.process = process
        if afresh:
            self.world.reopen(process)

    @rule(fault=st.sampled_from(Fault))
    def break_next(self, fault: Fault) -> None:
        self.fault = fault

    @rule(seconds=st.sampled_from([0.000001, 1, 5, 11, 31, 3600]))
    def pass_time(self, seconds: float) -> None:
        self.world.pass_time(seconds)

    @rule(seconds=st.sampled_from([-1, -20, -4000, 20, 4000]))
    def set_wall(self, seconds: float) -> None:
        self.world.set_wall(seconds)

    @precondition(lambda self: self.world.now.head)
    @rule(which=chances.picks)
    def follow(self, which: int) -> None:
        self.world.follow(which)

    @invariant()
    def every_list_agrees(self) -> None:
        self.world.check_agenda()

    def teardown(self) -> None:
        try:
            if self.sound:
                self._flush()
                end_everything(self.world)
        finally:
            self.world.close()

    def _ask(self, deed: Deed, ask: chances.Ask) -> None:
        if ask.kept and ask.twice:
            self._do(deed, wait=True)
        self._do(deed, ask.wait)

    def _do(self, deed: Deed, wait: bool = False) -> None:
        self.waiting.append(deed)
        if not wait:
            self._flush()

    def _flush(self) -> None:
        deeds, self.waiting = self.waiting, []
        fault, self.fault = self.fault, None
        if not deeds:
            return
        self.sound = False
        answers = self.world.do(deeds, self.process, fault)
        check_twins(answers)
        for deed, answer in answers:
            self._hear(deed, answer)
        self.sound = True

    def _hear(self, deed: Deed, answer: Any) -> None:
        if isinstance(deed, Claiming):
            self.held += answer.claimed
        elif isinstance(deed, TakingHooks):
            self.hooks += answer
        elif isinstance(deed, Moving) and isinstance(answer, Transition):
            if answer.move.target is Status.RUNNING:
                assert isinstance(answer, Progression)
                self.held.append(chances.advanced(answer))
        elif not isinstance(answer, Exception) and chances.is_kept(deed):
            self.heard.append((deed, chances.told(answer)))

    def _let_go(self, which: int) -> Claimed:
        held = self.held.pop(-1 - which % len(self.held))
        self.gone.append(held)
        return held

    def _row(self, which: int) -> str:
        ids = list(self.world.now.rows)
        return ids[-1 - which % len(ids)] if ids else "none"


def check_twins(answers: Sequence[tuple[Deed, Any]]) -> None:
    """Two that asked the same under one identity were told the same, unless one was refused."""
    told: dict[Deed, list[object]] = {}
    for deed, answer in answers:
        if not isinstance(answer, Exception) and chances.is_kept(deed):
            told.setdefault(deed, []).append(chances.told(answer))
    assert all(each == those[0] for those in told.values() for each in those)
