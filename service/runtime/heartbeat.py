"""Renews leases from a thread of its own, which an author's blocking code can't hold up."""

import asyncio
import logging
import threading
from collections.abc import Sequence

from service.domain.clock import Clock
from service.domain.errors import WorkflowError
from service.domain.instance import Claimed
from service.runtime.clockwatch import ClockWatch
from service.runtime.holding import Reason
from service.runtime.pulse import Pulse
from service.runtime.runner import Runner
from service.store.database import Session
from service.store.store import Store
from service.store.upkeep import renew

_log = logging.getLogger(__name__)


class Heartbeat:
    """Beats each `interval` seconds: renews what the runner holds, and tells it what it lost.

    While the event loop is blocked it goes on for at most `blocked_limit` seconds; then the leases
    end, and other workers take the instances.
    """

    def __init__(
        self,
        store: Store,
        runner: Runner,
        pulse: Pulse,
        watch: ClockWatch,
        clock: Clock,
        *,
        interval: float,
        lease: int,
    ) -> None:
        self._store = store
        self._runner = runner
        self._pulse = pulse
        self._watch = watch
        self._clock = clock
        self._interval = interval
        self._lease = lease
        self._loop = asyncio.get_running_loop()
        self._poked = threading.Event()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        """Start to beat."""
        self._thread.start()

    def poke(self) -> None:
        """Beat now; callable from any thread."""
        self._poked.set()

    async def stop(self) -> None:
        """Stop, and close the thread's connection."""
        self._stopped = True
        self._poked.set()
        await asyncio.to_thread(self._thread.join)

    def beat(self, session: Session) -> None:
        """Renew every lease once; tell the loop which are lost, and which to cancel."""
        if self._pulse.blocked_too_long:
            _log.error("The event loop is blocked for too long: its leases are given up.")
            return
        held = list(self._runner.held())
        if not held:
            return
        pairs = [(each.id, each.fence) for each in held]
        asked = self._clock.monotonic()
        answers, now = session.transaction(lambda tx: (renew(tx, pairs, self._lease), tx.now))
        self._watch.compare(now, asked)
        self._loop.call_soon_threadsafe(self._tell, held, answers)

    def _run(self) -> None:
        session: Session | None = None
        try:
            while not self._stopped:
                try:
                    session = session or self._store.session()
                    self.beat(session)
                except WorkflowError as error:
                    _log.warning("A heartbeat can't be written: %s", error)
                except RuntimeError:
                    if self._loop.is_closed():
                        return
                    raise
                except Exception:
                    _log.exception("A heartbeat failed; the next one comes as planned.")
                self._rest()
        finally:
            if session is not None:
                session.close()

    def _rest(self) -> None:
        """Wait for the next beat; look at the clock and the loop in between."""
        slept, steps = 0.0, self._watch.steps
        slice_ = min(1.0, self._interval)
        while slept < self._interval and not self._poked.wait(slice_):
            slept += slice_
            self._pulse.look()
            if self._watch.steps != steps:
                break
        self._poked.clear()

    def _tell(self, held: Sequence[Claimed], answers: Sequence[bool | None]) -> None:
        for each, cancel_requested in zip(held, answers, strict=True):
            if cancel_requested is None:
                self._runner.interrupt(each.id, Reason.LOST, each.fence)
            elif cancel_requested:
                self._runner.interrupt(each.id, Reason.CANCELLED, each.fence)
