import asyncio
import contextvars
from collections.abc import AsyncGenerator

import pytest

from service.runtime import guard
from service.runtime.guard import TaskExit


@pytest.fixture(autouse=True)
async def guarded() -> AsyncGenerator[None]:
    with guard.guarded(asyncio.get_running_loop()):
        yield


async def leave() -> None:
    raise SystemExit(3)


async def as_author(work: object) -> object:
    """Run the work in a task that is marked as an author's."""

    async def marked() -> object:
        guard.enter()
        return await work  # type: ignore[misc]

    return await asyncio.create_task(marked())


async def child_that_leaves() -> None:
    await asyncio.create_task(leave())


async def test_a_child_that_leaves_is_an_error_that_says_so() -> None:
    with pytest.raises(TaskExit, match="SystemExit: 3") as caught:
        await as_author(child_that_leaves())
    assert isinstance(caught.value.__cause__, SystemExit)


async def test_other_errors_pass_as_they_are() -> None:
    async def child() -> None:
        async def err() -> None:
            raise ValueError("bad")

        await asyncio.create_task(err())

    with pytest.raises(ValueError, match="bad"):
        await as_author(child())


async def test_what_a_child_returns_comes_back() -> None:
    async def child() -> int:
        async def seven() -> int:
            return 7

        return await asyncio.create_task(seven())

    assert await as_author(child()) == 7


async def test_a_child_in_a_context_of_its_own_is_guarded_by_that_context() -> None:
    async def child() -> None:
        await asyncio.get_running_loop().create_task(leave(), context=contextvars.copy_context())

    with pytest.raises(TaskExit):
        await as_author(child())


async def test_tasks_keep_their_names() -> None:
    async def child() -> str:
        async def name() -> str:
            task = asyncio.current_task()
            return "" if task is None else task.get_name()

        return await asyncio.create_task(name(), name="given")

    assert await as_author(child()) == "given"


async def test_a_child_that_is_cancelled_before_it_starts_leaves_no_warning() -> None:
    async def child() -> None:
        task = asyncio.create_task(leave())
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    await as_author(child())


async def test_what_no_author_started_is_not_touched() -> None:
    async def seven() -> int:
        return 7

    task = asyncio.create_task(seven())
    assert task.get_coro().__name__ == "seven"  # type: ignore[union-attr]
    assert await task == 7


async def test_another_factory_is_kept() -> None:
    loop = asyncio.get_running_loop()
    made: list[object] = []

    def factory(
        loop: asyncio.AbstractEventLoop, coroutine: object, **options: object
    ) -> asyncio.Task[object]:
        made.append(coroutine)
        return asyncio.Task(coroutine, loop=loop, **options)  # type: ignore[arg-type]

    before = loop.get_task_factory()
    loop.set_task_factory(factory)  # type: ignore[arg-type]
    with guard.guarded(loop), pytest.raises(TaskExit):
        await as_author(child_that_leaves())
    assert loop.get_task_factory() is factory
    assert len(made) == 2
    loop.set_task_factory(before)
