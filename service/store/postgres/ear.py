"""What goes on in the background to hear of commits, until it is stopped."""

import asyncio
from collections.abc import Coroutine


class Ear:
    """Does its work from the start on."""

    def __init__(self, work: Coroutine[None, None, None], name: str) -> None:
        self._task = asyncio.create_task(work, name=name)

    def stop(self) -> None:
        """Hear no more."""
        self._task.cancel()

    async def close(self) -> None:
        """Hear no more, and wait until everything is put away."""
        self._task.cancel()
        await asyncio.wait((self._task,))
