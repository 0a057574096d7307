"""Runs held instances: perform an action, write what it came to, go on to the next."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from service.domain.clock import Clock
from service.domain.errors import Unavailable
from service.domain.instance import Claimed, Status
from service.domain.transitions import Progression, Settlement, Transition
from service.runtime import guard
from service.runtime.holding import Holding, Reason
from service.runtime.outcomes import Outcomes
from service.runtime.performer import Performer
from service.store.moves import Moved, Progress, Settle
from service.store.store import Store

_FIRST_BACKOFF = 0.1
_MAX_BACKOFF = 2.0

_log = logging.getLogger(__name__)


class Runner:
    """Runs what is claimed, each instance in a task of its own.

    `active` counts those whose author's code may still run. One that has only its end left to
    write takes no place any more: `freed` is called, and the place is claimed in the same commit.
    """

    def __init__(
        self,
        store: Store,
        performer: Performer,
        outcomes: Outcomes,
        clock: Clock,
        freed: Callable[[], None],
    ) -> None:
        self._store = store
        self._performer = performer
        self._outcomes = outcomes
        self._clock = clock
        self._freed = freed
        self._holdings: dict[str, Holding] = {}
        self._idle = asyncio.Event()
        self._idle.set()
        self.active = 0

    def start(self, claimed: Sequence[Claimed]) -> None:
        """Start to run what was claimed."""
        for held in claimed:
            holding = Holding(held)
            stale = self._holdings.get(held.id)
            if stale is not None:
                stale.interrupt(Reason.LOST)
            self._holdings[held.id] = holding
            self._idle.clear()
            self.active += 1
            holding.task = asyncio.create_task(self._run(holding), name=f"{held.name} {held.id}")

    def held(self) -> Sequence[Claimed]:
        """Return everything that is held; callable from any thread."""
        return [holding.held for holding in list(self._holdings.values())]

    def interrupt(self, instance_id: str, reason: Reason, fence: int | None = None) -> None:
        """Cancel the action of an instance that is held here, under that fence if one is given."""
        holding = self._holdings.get(instance_id)
        if holding is not None and fence in (None, holding.held.fence):
            holding.interrupt(reason)

    def insist(self) -> None:
        """Cancel once more every action that goes on though it was cancelled."""
        for holding in self._holdings.values():
            holding.insist()

    async def drain(self, grace: float) -> None:
        """Let what runs go on for `grace` seconds, then give it back; no action follows another."""
        self._outcomes.stopping = True
        if await self._settled_within(grace):
            return
        for holding in list(self._holdings.values()):
            holding.interrupt(Reason.STOPPING)
        while not await self._settled_within(1.0):
            self.insist()

    async def _settled_within(self, seconds: float) -> bool:
        idle = asyncio.ensure_future(self._idle.wait())
        timer = asyncio.ensure_future(self._clock.sleep(seconds))
        try:
            await asyncio.wait((idle, timer), return_when=asyncio.FIRST_COMPLETED)
        finally:
            idle.cancel()
            timer.cancel()
        return self._idle.is_set()

    async def _run(self, holding: Holding) -> None:
        guard.enter()
        try:
            while True:
                with suppress(GeneratorExit):
                    await self._performer.perform(holding)
                move = holding.move
                if move is None:
                    break
                if move.move.target is not Status.RUNNING:
                    self._free(holding)
                written = await self._write(holding.held, move)
                if (
                    not isinstance(written, Progression)
                    or written.move.target is not Status.RUNNING
                ):
                    break
                holding.held = _advanced(holding.held, written)
        except Exception:
            _log.exception("The runner broke: the lease will end, and the instance be reclaimed.")
        finally:
            self._forget(holding)

    async def _write(self, held: Claimed, move: Transition) -> Moved:
        """Write the move; through an outage of the database for as long as it takes."""
        backoff = _FIRST_BACKOFF
        while True:
            try:
                if isinstance(move, Progression):
                    return await self._store.write(Progress(move))
                assert isinstance(move, Settlement)  # noqa: S101 - a transition is one or the other
                return await self._store.write(Settle(move))
            except Unavailable as error:
                _log.warning("Can't write %s yet: %s", move.move.name, error, extra=_where(held))
                await self._clock.sleep(backoff)
                backoff = min(_MAX_BACKOFF, 2 * backoff)
            except Exception as error:
                _log.exception("The database refuses what was to be written.", extra=_where(held))
                if move.event.error is not None:
                    raise
                move = self._outcomes.broken(held, error)

    def _free(self, holding: Holding) -> None:
        if not holding.freed:
            holding.freed = True
            self.active -= 1
            self._freed()

    def _forget(self, holding: Holding) -> None:
        self._free(holding)
        if self._holdings.get(holding.held.id) is holding:
            del self._holdings[holding.held.id]
        if not self._holdings:
            self._idle.set()


def _advanced(held: Claimed, move: Progression) -> Claimed:
    """Return what is held after the move to the next action."""
    return replace(
        held,
        action=move.action,
        params=move.params,
        state=move.state,
        max_attempts=move.max_attempts,
        attempts=0,
        losses=0,
        visit=held.visit + 1,
    )


def _where(held: Claimed) -> dict[str, object]:
    return {"instance": held.id, "workflow": held.name, "action": held.action}
