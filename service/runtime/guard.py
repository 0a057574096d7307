"""Keeps an author's SystemExit from ending the process.

asyncio lets SystemExit and KeyboardInterrupt of *any* task out of the loop, and that ends it. In
the tasks that an author's code starts they are turned into an error that says what was raised.
"""

import asyncio
from collections.abc import Callable, Coroutine, Generator
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
    start: Callable[..., asyncio.Future[Any]] = outer or _plain

    def make(
        loop: asyncio.AbstractEventLoop,
        coroutine: Coroutine[Any, Any, Any] | Generator[Any, None, Any],
        *,
        context: Context | None = None,
        **options: Any,
    ) -> asyncio.Future[Any]:
        if context is not None:
            options["context"] = context
        author = _inside.get() if context is None else context.get(_inside, False)
        if not author or not asyncio.iscoroutine(coroutine):
            return start(loop, coroutine, **options)
        task = start(loop, _guard(coroutine), **options)
        # One that is cancelled before it starts never gets to await what it guards.
        task.add_done_callback(lambda _: coroutine.close())
        return task

    loop.set_task_factory(make)
    try:
        yield
    finally:
        loop.set_task_factory(outer)


def _plain(
    loop: asyncio.AbstractEventLoop, coroutine: Coroutine[Any, Any, Any], **options: Any
) -> asyncio.Future[Any]:
    return asyncio.Task(coroutine, loop=loop, **options)


async def _guard(coroutine: Coroutine[Any, Any, Any]) -> Any:
    try:
        return await coroutine
    except (SystemExit, KeyboardInterrupt) as error:
        raise TaskExit(error) from error
