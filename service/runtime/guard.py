"""Keeps an author's SystemExit from ending the process.

asyncio lets SystemExit and KeyboardInterrupt of *any* task out of the loop, and that ends it. In
the tasks that an author's code starts they are turned into an error that says what was raised.
"""

import asyncio
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from contextvars import Context, ContextVar
from typing import Any

_inside: ContextVar[bool] = ContextVar("workflow_action", default=False)


class TaskExit(BaseException):
    """A task of an author raised SystemExit or KeyboardInterrupt; `__cause__` is what it raised."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__(f"{type(cause).__qualname__}: {cause}")
        self.__cause__ = cause


def enter() -> None:
    """Mark the running task, and every task that it starts, as an author's."""
    _inside.set(True)


@contextmanager
def guarded(loop: asyncio.AbstractEventLoop) -> Generator[None]:
    """Guard the tasks that authors start on the loop, for as long as the block lasts."""
    outer = loop.get_task_factory()

    def make(
        loop: asyncio.AbstractEventLoop,
        coroutine: Coroutine[Any, Any, Any] | Generator[Any, None, Any],
        *,
        context: Context | None = None,
        **options: Any,
    ) -> asyncio.Future[Any]:
        author = _inside.get() if context is None else context.get(_inside, False)
        if author and asyncio.iscoroutine(coroutine):
            coroutine = _guard(coroutine)
        if context is not None:
            options["context"] = context
        if outer is None:
            return asyncio.Task(coroutine, loop=loop, **options)
        return outer(loop, coroutine, **options)

    loop.set_task_factory(make)
    try:
        yield
    finally:
        loop.set_task_factory(outer)


async def _guard(coroutine: Coroutine[Any, Any, Any]) -> Any:
    try:
        return await coroutine
    except (SystemExit, KeyboardInterrupt) as error:
        raise TaskExit(error) from error
