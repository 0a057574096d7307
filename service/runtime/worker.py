"""A worker: everything that claims and runs instances in one process."""

import asyncio
import logging
from collections.abc import Sequence

from service.domain.clock import Clock
from service.domain.events import Event, EventType
from service.domain.ids import IdSource
from service.domain.registry import Workflows as Registry
from service.domain.transitions import release
from service.emitter import Emitter
from service.runtime import guard
from service.runtime.clockwatch import ClockWatch
from service.runtime.dispatcher import Dispatcher
from service.runtime.heartbeat import Heartbeat
from service.runtime.holding import Reason
from service.runtime.hooks import HookRunner
from service.runtime.outcomes import Outcomes
from service.runtime.performer import Performer
from service.runtime.policy import Policy
from service.runtime.promoter import Promoter
from service.runtime.pruner import Pruner
from service.runtime.pulse import Pulse
from service.runtime.reaper import Reaper
from service.runtime.runner import Runner
from service.runtime.scheduler import Scheduler
from service.store.batch import perform
from service.store.moves import LOST, Settle
from service.store.store import Store

_INSIST = 1.0

_log = logging.getLogger(__name__)


class Worker:
    """Claims and runs instances of the workflows registered here, from `start` to `stop`."""

    def __init__(
        self,
        store: Store,
        emitter: Emitter,
        registry: Registry,
        clock: Clock,
        new_id: IdSource,
        policy: Policy,
    ) -> None:
        self.id = new_id()
        self._store = store
        self._emitter = emitter
        self._clock = clock
        self._tasks: list[asyncio.Task[None]] = []
        self._guard = guard.guarded(asyncio.get_running_loop())
        watch = ClockWatch(clock, policy.lease / 1e6)
        outcomes = Outcomes(policy.payload_limit)
        performer = Performer(registry, clock, outcomes)
        self.runner = Runner(store, performer, outcomes, clock, self._freed)
        self.pulse = Pulse(
            clock, blocked_after=policy.blocked_after, blocked_limit=policy.blocked_limit
        )
        self.heartbeat = Heartbeat(
            store,
            self.runner,
            self.pulse,
            watch,
            clock,
            interval=policy.heartbeat,
            lease=policy.lease,
        )
        reaper = Reaper(store, watch, lease=policy.lease, renew=self.heartbeat.poke)
        dispatcher = Dispatcher(
            store,
            registry,
            self.runner,
            worker=self.id,
            slots=policy.slots,
            lease=policy.lease,
        )
        self.hooks = HookRunner(store, registry, lease=policy.lease)
        self.scheduler = Scheduler(
            store,
            emitter,
            clock,
            reaper,
            Promoter(store),
            dispatcher,
            self.hooks,
            tick=policy.tick,
        )
        self._pruner = Pruner(store, clock, age=policy.retention, batch=policy.prune_batch)

    def start(self) -> None:
        """Begin to claim."""
        self._guard.__enter__()
        self._deafen = self._emitter.on_events(self._hear)
        self.heartbeat.start()
        for name, work in (
            ("scheduler", self.scheduler.run()),
            ("pulse", self.pulse.run()),
            ("pruner", self._pruner.run()),
            ("insist", self._insist()),
        ):
            self._tasks.append(asyncio.create_task(work, name=name))

    async def drain(self, grace: float) -> None:
        """Claim nothing more; give what runs `grace` seconds, then give it back to the queue."""
        self.scheduler.stop()
        await asyncio.wait(self._tasks[:1])
        await self.runner.drain(grace)

    async def stop(self) -> None:
        """End everything; call it after `drain`."""
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)
        await self.hooks.close()
        await self.heartbeat.stop()
        self._deafen()
        self._guard.__exit__(None, None, None)

    def abandon(self) -> int:
        """Give back what is held though the event loop is blocked; for another thread, at the end.

        Returns how many were given back.
        """
        writes = [Settle(release(held)) for held in self.runner.held()]
        if not writes:
            return 0
        session = self._store.session()
        try:
            answers, _ = session.transaction(lambda tx: perform(tx, writes))
        finally:
            session.close()
        return sum(answer is not LOST for answer in answers)

    def _freed(self) -> None:
        self.scheduler.freed()

    def _hear(self, events: Sequence[Event]) -> None:
        for event in events:
            if event.type is EventType.CANCEL_REQUESTED:
                self.runner.interrupt(event.instance_id, Reason.CANCELLED)

    async def _insist(self) -> None:
        while True:
            await self._clock.sleep(_INSIST)
            self.runner.insist()
