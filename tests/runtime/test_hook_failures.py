"""What a hook raises is logged and retried within bounds; it is never fatal."""

import asyncio
import gc
import logging
from collections.abc import Callable, Sequence

import pytest

from service.domain.clock import SECOND
from service.domain.context import Context
from service.domain.definition import Ended
from service.domain.errors import Unavailable
from service.domain.instance import Status
from service.store.batch import Batch
from service.store.hooks import ClaimHooks, FinishHook
from tests.clock import FakeClock
from tests.runtime.driving import Driven, enqueue, find
from tests.runtime.hooked import Hooked, left
from tests.services import Process

Drive = Callable[..., Driven]

ERRORS = [
    ValueError("bad"),
    SystemExit(3),
    KeyboardInterrupt(),
    GeneratorExit(),
    BaseException("base"),
    asyncio.CancelledError("mine"),
    ExceptionGroup("many", [ValueError("bad")]),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
async def test_what_it_raises_is_logged_and_it_is_tried_again(
    process: Process,
    drive: Drive,
    clock: FakeClock,
    caplog: pytest.LogCaptureFixture,
    error: BaseException,
) -> None:
    hooked = Hooked(process.registry, error)
    driven = drive(process)
    instance_id = await enqueue(process, "job", "ok")
    await driven.round()
    await driven.round()
    assert len(hooked.runs) == 1
    assert "tried again" in caplog.text
    await clock.advance(1)
    await driven.round()
    assert len(hooked.runs) == 2
    assert (await find(process, instance_id)).status is Status.COMPLETED
    assert await left(process) == 0


async def test_a_task_of_it_that_leaves_is_only_an_error(
    process: Process, drive: Drive, clock: FakeClock
) -> None:
    async def leave() -> None:
        raise SystemExit(3)

    runs: list[int] = []

    async def hook(ended: Ended[None]) -> None:
        runs.append(1)
        if len(runs) == 1:
            await asyncio.gather(leave(), leave())

    @process.registry.workflow(on_terminal=hook)
    async def job(ctx: Context[None], params: None) -> None:
        return None

    driven = drive(process)
    await enqueue(process, "job")
    await driven.round()
    await driven.round()
    await clock.advance(1)
    await driven.round()
    assert len(runs) == 2


async def test_it_is_given_up_after_its_last_try(
    process: Process, drive: Drive, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    hooked = Hooked(process.registry, *[ValueError("bad")] * 99)
    driven = drive(process)
    await enqueue(process, "job", "ok")
    await driven.round()
    for _ in range(40):
        await driven.round()
        await clock.advance(1)
    assert len(hooked.runs) == 5
    assert await left(process) == 0
    assert [record.levelno for record in caplog.records].count(logging.ERROR) == 1
    assert "for good" in caplog.text


async def test_it_is_tried_again_after_ever_longer_waits(
    process: Process, drive: Drive, clock: FakeClock
) -> None:
    hooked = Hooked(process.registry, *[ValueError("bad")] * 99)
    driven = drive(process)
    await enqueue(process, "job", "ok")
    await driven.round()
    tries: list[float] = []
    for _ in range(40):
        await driven.round()
        tries += [clock.monotonic()] * (len(hooked.runs) - len(tries))
        await clock.advance(0.5)
    assert tries == [0, 1, 3, 7, 15]


async def test_one_that_never_ends_is_stopped_at_the_end_of_its_lease(
    process: Process, drive: Drive, clock: FakeClock
) -> None:
    runs: list[str] = []

    async def hook(ended: Ended[None]) -> None:
        runs.append("begun")
        if len(runs) == 1:
            try:
                await asyncio.sleep(3_600)
            finally:
                runs.append("stopped")

    @process.registry.workflow(on_terminal=hook)
    async def job(ctx: Context[None], params: None) -> None:
        return None

    driven = drive(process, lease=SECOND // 20)
    await process.workflows.cancel(await enqueue(process, "job"))
    await driven.round()
    assert runs == ["begun", "stopped"]
    await clock.advance(2)
    await driven.round()
    assert runs == ["begun", "stopped", "begun"]


async def test_an_outage_does_not_end_them(
    process: Process,
    drive: Drive,
    clock: FakeClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    hooked = Hooked(process.registry)
    driven = drive(process)
    await process.workflows.cancel(await enqueue(process, "job", "ok"))
    for away in (ClaimHooks, FinishHook):
        before = len(hooked.runs)
        with monkeypatch.context() as patched:
            patched.setattr(away, "perform", _unavailable)
            await driven.round()
        assert len(hooked.runs) == before + (away is FinishHook)
    gc.collect()
    assert [record.name for record in caplog.records] == ["service.runtime.hooks"] * 2
    await clock.advance(3_600)
    await driven.round()
    assert len(hooked.runs) == 2
    assert await left(process) == 0


def _unavailable(_: Batch, writes: Sequence[object]) -> list[Unavailable]:
    return [Unavailable("The disk is full.", maybe_applied=False) for _ in writes]
