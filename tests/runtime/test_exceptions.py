"""Whatever an author's code raises fails the instance, and leaves the worker alive."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from service.domain.context import Context
from service.domain.instance import Status
from service.domain.retry import Retry
from tests.runtime.driving import Driven, enqueue, failures, find
from tests.services import Process

Drive = Callable[..., Driven]


class Needy(Exception):
    def __init__(self, one: int, two: int, three: int) -> None:
        super().__init__(f"{one} {two} {three}")


class Mute(Exception):
    def __str__(self) -> str:
        raise ValueError("no text")


class MuteForGood(Exception):
    def __str__(self) -> str:
        raise SystemExit(5)


class NoText(Exception):
    def __str__(self) -> str:
        return None  # type: ignore[return-value]


async def leave() -> None:
    await asyncio.sleep(0)
    raise SystemExit(3)


async def interrupt() -> None:
    raise KeyboardInterrupt


async def err() -> None:
    raise ValueError("bad")


async def in_a_group() -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(leave())
        group.create_task(err())


async def in_a_child() -> None:
    await asyncio.create_task(leave())


async def in_a_grandchild() -> None:
    await asyncio.create_task(in_a_child())


async def gathered() -> None:
    await asyncio.gather(interrupt(), asyncio.sleep(0))


async def in_a_thread() -> None:
    def exit_() -> None:
        raise SystemExit(4)

    await asyncio.to_thread(exit_)


async def cancel_oneself() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)


async def await_what_was_cancelled() -> None:
    child = asyncio.ensure_future(asyncio.sleep(60))
    child.cancel()
    await child


def raising(error: BaseException) -> Callable[[], Coroutine[Any, Any, None]]:
    async def act() -> None:
        raise error

    return act


CASES: dict[str, tuple[Callable[[], Coroutine[Any, Any, None]], str, str]] = {
    "exception": (raising(ValueError("bad")), "ValueError", "bad"),
    "no message": (raising(Exception()), "Exception", ""),
    "assertion": (raising(AssertionError()), "AssertionError", ""),
    "arguments": (raising(Needy(1, 2, 3)), "Needy", "1 2 3"),
    "system exit": (raising(SystemExit(3)), "SystemExit", "3"),
    "keyboard interrupt": (raising(KeyboardInterrupt()), "KeyboardInterrupt", ""),
    "generator exit": (raising(GeneratorExit()), "GeneratorExit", ""),
    "base exception": (raising(BaseException("base")), "BaseException", "base"),
    "stop iteration": (raising(StopIteration(1)), "RuntimeError", "StopIteration"),
    "stop async iteration": (raising(StopAsyncIteration(1)), "StopAsyncIteration", "1"),
    "cancelled by nobody": (raising(asyncio.CancelledError("mine")), "CancelledError", "mine"),
    "cancelled oneself": (cancel_oneself, "CancelledError", ""),
    "awaited what was cancelled": (await_what_was_cancelled, "CancelledError", ""),
    "broken text": (raising(Mute()), "Mute", "ValueError"),
    "deadly text": (raising(MuteForGood()), "MuteForGood", "SystemExit"),
    "no text": (raising(NoText()), "NoText", "TypeError"),
    "nul": (raising(ValueError("a\0b")), "ValueError", "a\ufffdb"),
    "surrogate": (raising(ValueError("a\ud800b")), "ValueError", "a?b"),
    "system exit in a child": (in_a_child, "TaskExit", "SystemExit: 3"),
    "system exit in a grandchild": (in_a_grandchild, "TaskExit", "SystemExit: 3"),
    "keyboard interrupt gathered": (gathered, "TaskExit", "KeyboardInterrupt"),
    "system exit in a thread": (in_a_thread, "SystemExit", "4"),
    "group": (
        raising(ExceptionGroup("many", [ValueError("a"), ExceptionGroup("in", [KeyError("b")])])),
        "ExceptionGroup",
        "ValueError: a; KeyError: 'b'",
    ),
    "task group": (in_a_group, "BaseExceptionGroup", "SystemExit: 3"),
}


def register(process: Process, act: Callable[[], Coroutine[Any, Any, None]]) -> None:
    @process.registry.workflow
    async def job(ctx: Context[None], params: None) -> None:
        await act()

    @process.registry.workflow
    async def fine(ctx: Context[None], params: None) -> str:
        return "fine"


@pytest.mark.parametrize("case", CASES)
async def test_it_fails_the_instance_and_the_worker_takes_the_next(
    process: Process, drive: Drive, case: str
) -> None:
    act, error_type, message = CASES[case]
    register(process, act)
    driven = drive(process)
    instance_id = await enqueue(process, "job")
    await driven.round()
    found = await find(process, instance_id)
    assert found.status is Status.FAILED
    [kept] = await failures(process, instance_id)
    assert kept.error_type == error_type
    assert message in kept.message
    assert found.last_error == kept.summary
    assert found.last_error
    assert found.last_error.encode()
    next_id = await enqueue(process, "fine")
    await driven.round()
    assert (await find(process, next_id)).output == '"fine"'
    assert asyncio.current_task().cancelling() == 0  # type: ignore[union-attr]


async def test_every_member_of_a_group_is_told(process: Process, drive: Drive) -> None:
    async def act() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(err())
            group.create_task(raising(KeyError("other"))())

    register(process, act)
    driven = drive(process)
    instance_id = await enqueue(process, "job")
    await driven.round()
    [kept] = await failures(process, instance_id)
    assert "ValueError: bad" in kept.message
    assert "KeyError: 'other'" in kept.message


@pytest.mark.parametrize(
    "case", ["system exit", "cancelled by nobody", "broken text", "task group"]
)
async def test_it_counts_as_an_attempt_like_any_other(
    process: Process, drive: Drive, case: str
) -> None:
    act, error_type, _ = CASES[case]

    @process.registry.workflow(retry=Retry(max_attempts=2, jitter=0))
    async def job(ctx: Context[None], params: None) -> None:
        await act()

    driven = drive(process)
    instance_id = await enqueue(process, "job")
    await driven.round()
    assert (await find(process, instance_id)).status is Status.PENDING
    await process.clock.advance(1)
    await driven.round()
    found = await find(process, instance_id)
    assert (found.status, found.attempts) == (Status.FAILED, 2)
    assert [kept.error_type for kept in await failures(process, instance_id)] == [error_type] * 2


async def test_code_that_cancels_its_own_task_and_returns_is_not_cancelled(
    process: Process, drive: Drive
) -> None:
    async def act() -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()

    register(process, act)
    driven = drive(process)
    instance_id = await enqueue(process, "job")
    await driven.round()
    assert (await find(process, instance_id)).status is Status.COMPLETED


async def test_a_long_message_is_cut(process: Process, drive: Drive) -> None:
    register(process, raising(ValueError("x" * 1_000_000)))
    driven = drive(process)
    instance_id = await enqueue(process, "job")
    await driven.round()
    [kept] = await failures(process, instance_id)
    assert len(kept.message) == 4_000
