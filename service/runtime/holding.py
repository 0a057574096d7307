"""One instance that this worker holds, and why its action has to stop."""

import asyncio
from contextlib import suppress
from enum import IntEnum

from service.domain.instance import Claimed
from service.domain.transitions import Transition


class Reason(IntEnum):
    """Why a running action is cancelled; of several the highest counts."""

    STOPPING = 1
    TIMED_OUT = 2
    CANCELLED = 3
    LOST = 4


class Holding:
    """A held instance with the task that runs it.

    The task is cancelled only while it runs the author's code, so that what it writes is never
    torn. `performed` tells whether the code of the action that is due was started, `move` what it
    came to, `freed` whether its place was given to another.
    """

    def __init__(self, held: Claimed) -> None:
        self.held = held
        self.task: asyncio.Task[None] | None = None
        self.reason: Reason | None = None
        self.performed = False
        self.move: Transition | None = None
        self.freed = False
        self._performing = False

    def begin(self) -> bool:
        """Say that the author's code starts; False when it must not."""
        self._performing = self.performed = self.reason is None
        return self._performing

    async def end(self) -> None:
        """Say that the author's code has ended, and take back the cancellations."""
        self._performing = False
        task = self.task
        if task is None or not task.cancelling():
            return
        while task.cancelling():
            task.uncancel()
        # One that came in the last moment is still to be raised: here, and not in what is written.
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(0)  # noqa: TID251 - one turn of the loop, no time

    def interrupt(self, reason: Reason) -> None:
        """Cancel the author's code, now or before it starts."""
        if self.reason is None or reason > self.reason:
            self.reason = reason
        self.insist()

    def insist(self) -> None:
        """Cancel again code that goes on though it was cancelled."""
        if self.reason is not None and self._performing and self.task is not None:
            self.task.cancel(f"workflow: {self.reason.name.lower()}")
