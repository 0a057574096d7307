"""The tick: reap, promote, dispatch; and when the next one is due."""

import logging
from collections.abc import Sequence

from service.domain.clock import SECOND, Clock
from service.domain.errors import Unavailable
from service.domain.events import TERMINAL, Event, EventType
from service.domain.instance import Status
from service.emitter import Emitter
from service.runtime.alarm import Alarm
from service.runtime.dispatcher import Dispatcher
from service.runtime.hooks import HookRunner
from service.runtime.promoter import Promoter
from service.runtime.reaper import Reaper
from service.store.store import Store

LATER = frozenset({EventType.RETRYING, EventType.CHECKPOINT})
"""What may put an instance back for a later time."""

_log = logging.getLogger(__name__)


class Scheduler:
    """Drives everything that moves, in one task, so that a tick never overlaps itself.

    It wakes when the tick or something else is due, when an event tells of something that may be
    claimed (after a pause, where other workers are quicker), and when a place becomes free while
    more is ready.
    """

    def __init__(
        self,
        store: Store,
        emitter: Emitter,
        clock: Clock,
        reaper: Reaper,
        promoter: Promoter,
        dispatcher: Dispatcher,
        hooks: HookRunner,
        *,
        tick: float,
    ) -> None:
        self._store = store
        self._emitter = emitter
        self._clock = clock
        self._reaper = reaper
        self._promoter = promoter
        self._dispatcher = dispatcher
        self._hooks = hooks
        self._tick = tick
        self._alarm = Alarm(clock)
        self._next_round = clock.monotonic()
        self._reach_at = float("inf")
        self._stopping = False

    async def tick(self) -> None:
        """Do one round: take back, make ready, run hooks, claim. Raises `Unavailable`."""
        asked = self._clock.monotonic()
        agenda = await self._store.agenda()
        await self._reaper.reap(agenda, asked)
        promoted = await self._promoter.promote(agenda)
        self._hooks.run(agenda)
        self._dispatcher.wanted |= agenda.ready or promoted > 0
        due = agenda.next_due
        due_in = self._tick if due is None else (due - agenda.now) / SECOND
        self._plan(due_in if due_in > 0 else self._tick, asked)
        if self._dispatcher.wanted:
            await self._dispatch()

    async def run(self) -> None:
        """Tick until it is stopped; an outage of the database is outlived."""
        unsubscribe = self._emitter.on_events(self._hear)
        try:
            while not self._stopping:
                done = await self._step()
                await self._alarm.sleep(self._pause() if done else self._tick)
        finally:
            unsubscribe()

    def stop(self) -> None:
        """Claim no more. A claim that is under way is finished, or nobody would know of it."""
        self._stopping = True
        self._alarm.ring()

    def freed(self) -> None:
        """Take note that a place has become free."""
        if self._dispatcher.hoped and self._reach_at == float("inf"):
            self._reach_at = self._clock.monotonic() + self._dispatcher.patience.pause()
            self._alarm.ring()
        if self._dispatcher.wanted:
            self._alarm.ring()

    async def _step(self) -> bool:
        """Do what is due, and return whether it could be done."""
        try:
            if self._clock.monotonic() >= self._next_round:
                await self.tick()
            elif self._dispatcher.wanted or self._reaches():
                await self._dispatch()
        except Unavailable as error:
            _log.warning("The scheduler can't reach the database, and goes on trying: %s", error)
            return False
        except Exception:
            _log.exception("A tick failed; the next one comes as planned.")
            return False
        return True

    async def _dispatch(self) -> None:
        if self._stopping:
            return
        self._reach_at = float("inf")
        await self._dispatcher.dispatch()
        token_in = self._dispatcher.next_token_in
        if token_in is not None:
            self._plan_at_most(token_in)

    def _makes_room(self, event: Event) -> bool:
        """Return whether the event lets another instance go: under a cap, or behind a key."""
        left = event.status is not Status.RUNNING and self._dispatcher.left(event.queue)
        return left or (event.type in TERMINAL and event.data is not None)

    def _pause(self) -> float:
        if self._dispatcher.wanted and self._dispatcher.free > 0:
            return 0.0
        return min(self._next_round, self._reach_at) - self._clock.monotonic()

    def _reaches(self) -> bool:
        """Return whether it is time to reach for what nobody else has taken meanwhile."""
        if self._clock.monotonic() < self._reach_at:
            return False
        self._reach_at = float("inf")
        return bool(self._dispatcher.hoped)

    def _plan(self, seconds: float, since: float) -> None:
        self._next_round = since + min(seconds, self._tick)

    def _plan_at_most(self, seconds: float) -> None:
        self._next_round = min(self._next_round, self._clock.monotonic() + seconds)

    def _hear(self, events: Sequence[Event]) -> None:
        """Wake for what may be claimed, and for what is due at a time that no plan knows of."""
        if not events:
            self._dispatcher.wanted = True
        for event in events:
            self._note(event)
        if self._dispatcher.hoped and self._reach_at == float("inf"):
            self._reach_at = self._clock.monotonic() + self._dispatcher.patience.pause()
            self._alarm.ring()
        if self._dispatcher.wanted:
            self._alarm.ring()

    def _note(self, event: Event) -> None:
        if event.type in TERMINAL:
            self._hooks.hear(event)
        if event.type in LATER and event.status is Status.PENDING:
            self._plan(0.0, self._clock.monotonic())
            self._alarm.ring()
        elif event.status is Status.PENDING:
            self._dispatcher.hope(event)
        else:
            self._dispatcher.hoped.discard(event.instance_id)
        if self._makes_room(event):
            self._dispatcher.wanted = True
