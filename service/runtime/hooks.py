"""Runs terminal hooks: after the commit, at least once, by a worker that knows the workflow."""

import asyncio
import logging
from datetime import timedelta

from service.domain.clock import micros
from service.domain.definition import Definition, Ended
from service.domain.errors import Unavailable
from service.domain.events import Event
from service.domain.instance import Status
from service.domain.registry import Workflows as Registry
from service.domain.retry import Retry
from service.runtime import guard
from service.store.hooks import ClaimHooks, DueHook, FinishHook
from service.store.store import Store
from service.store.upkeep import Agenda

_RETRY = Retry(max_attempts=5, cap=timedelta(minutes=5), jitter=0.0)
_BATCH = 20

_log = logging.getLogger(__name__)


class HookRunner:
    """Runs due hooks beside the instances; what one raises is logged, and it is tried again."""

    def __init__(self, store: Store, registry: Registry, *, lease: int) -> None:
        self._store = store
        self._lease = lease
        self._known = {
            name: definition
            for name, definition in registry.definitions.items()
            if definition.on_terminal is not None
        }
        self._task: asyncio.Task[None] | None = None
        self._again = False

    def hear(self, event: Event) -> None:
        """Take note that an instance has ended."""
        if event.name in self._known:
            self._start()

    def run(self, agenda: Agenda) -> None:
        """Start to run hooks if one is due."""
        due = agenda.next_hook
        if self._known and due is not None and due <= agenda.now:
            self._start()

    async def close(self) -> None:
        """Stop; what was not finished is run again after its lease."""
        self._again = False
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait((self._task,))

    def _start(self) -> None:
        self._again = True
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="terminal hooks")

    async def _run(self) -> None:
        names = sorted(self._known)
        while self._again:
            self._again = False
            claim = ClaimHooks(names=names, limit=_BATCH, lease=self._lease)
            try:
                hooks = await self._store.write(claim)
            except Unavailable as error:
                _log.warning("Terminal hooks wait until the database answers: %s", error)
                return
            await asyncio.gather(*map(self._perform, hooks))
            self._again |= len(hooks) == _BATCH

    async def _perform(self, hook: DueHook) -> None:
        where = {"instance": hook.instance_id, "workflow": hook.name}
        delay: int | None = None
        try:
            async with asyncio.timeout(self._lease / 1e6):
                await self._call(self._known[hook.name], hook)
        except BaseException as error:
            if isinstance(error, asyncio.CancelledError) and _cancelling():
                raise
            if hook.attempts < _RETRY.max_attempts:
                delay = micros(_RETRY.delay(hook.attempts, lambda: 0.0))
                _log.warning(
                    "The on_terminal hook failed; it is tried again.", exc_info=error, extra=where
                )
            else:
                _log.error("The on_terminal hook failed for good.", exc_info=error, extra=where)
        try:
            await self._store.write(FinishHook(hook=hook, delay=delay))
        except Unavailable as error:
            _log.warning(
                "An on_terminal hook is run again after its lease, for its end can't be written: "
                "%s",
                error,
                extra=where,
            )

    async def _call(self, definition: Definition, hook: DueHook) -> None:
        if definition.on_terminal is None:
            return
        instance = await self._store.instances.get(hook.instance_id)
        output: object = None
        if hook.status is Status.COMPLETED and instance is not None and instance.output is not None:
            output = definition.output.decode(instance.output)
        ended = Ended(
            instance_id=hook.instance_id,
            name=hook.name,
            status=hook.status,
            output=output,
            error=hook.error,
        )
        guard.enter()
        await asyncio.create_task(definition.on_terminal(ended))


def _cancelling() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
