"""An event loop in a thread of its own, for tools that sync and async tests call alike."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from threading import Thread
from typing import Any, ParamSpec, Self, TypeVar

T = TypeVar("T")
P = ParamSpec("P")


class Aside:
    """Runs coroutines and calls on its own loop, whatever the caller's thread is doing."""

    def __init__(self, name: str) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = Thread(target=self.loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def run(self, coroutine: Coroutine[Any, Any, T], within: float = 60) -> T:
        """Run a coroutine to its end, and return what it returns."""
        return self.start(coroutine).result(within)

    def start(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine without waiting for it."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop)

    def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a plain function in the loop's thread."""

        async def called() -> T:
            return function(*args, **kwargs)

        return self.run(called())

    def end(self) -> None:
        """Cancel what still runs, and end the thread."""
        if self.loop.is_closed():
            return
        self.run(self._calm())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()

    async def _calm(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self.loop.shutdown_asyncgens()
        await asyncio.sleep(0)
