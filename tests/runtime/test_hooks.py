import asyncio
import gc
import logging
from collections.abc import Callable

import pytest

from service.domain.clock import SECOND
from service.domain.context import Context
from service.domain.definition import Ended
from service.domain.errors import Unavailable
from service.domain.instance import Status
from service.domain.registry import Workflows
from service.store.hooks import ClaimHooks, FinishHook
from tests.clock import FakeClock
from tests.runtime.driving import Driven, at_work, enqueue, find
from tests.services import Place, Process, until

Drive = Callable[..., Driven]


class Hooked:
    """A workflow whose hook notes each run, and may fail at first."""

    def __init__(self, registry: Workflows, *errors: BaseException | None) -> None:
        self.runs: list[Ended[int]] = []
        self.errors = list(errors)

        async def hook(ended: Ended[int]) -> None:
            self.runs.append(ended)
            error = self.errors.pop(0) if self.errors else None
            if error is not None:
                raise error

        @registry.workflow(on_terminal=hook)
        async def job(ctx: Context[None], params: str) -> int:
            if params == "fail":
                raise ValueError("bad")
            if params == "wait":
                await asyncio.sleep(3_600)
            return 7

        @registry.workflow
        async def plain(ctx: Context[None], params: None) -> None:
            return None


async def left(process: Process) -> int:
    return (await process.rows("SELECT count(*) FROM hooks"))[0][0]


async def test_it_is_told_how_the_instance_ended(process: Process, drive: Drive) -> None:
    hooked = Hooked(process.registry)
    driven = drive(process)
    done = await enqueue(process, "job", "ok")
    bad = await enqueue(process, "job", "fail")
    cancelled = await enqueue(process, "job", "wait")
    await driven.tick()
    await process.workflows.cancel(cancelled)
    await driven.settle()
    await driven.round()
    assert {ended.instance_id: ended for ended in hooked.runs} == {
        done: Ended(
            instance_id=done, name="job", status=Status.COMPLETED, output=7, error=None
        ),
        bad: Ended(
            instance_id=bad,
            name="job",
            status=Status.FAILED,
            output=None,
            error="ValueError: bad",
        ),
        cancelled: Ended(
            instance_id=cancelled, name="job", status=Status.CANCELLED, output=None, error=None
        ),
    }
    assert len(hooked.runs) == 3
    assert await left(process) == 0


async def test_it_runs_once_it_is_heard_without_waiting_for_the_tick(process: Process) -> None:
    hooked = Hooked(process.registry)
    async with at_work(process):
        await enqueue(process, "job", "ok")
        await until(lambda: hooked.runs)
        await enqueue(process, "plain")
        await enqueue(process, "job", "ok")
        await until(lambda: len(hooked.runs) == 2)


async def test_it_runs_when_a_process_without_a_worker_cancelled(
    process: Process, place: Place, clock: FakeClock
) -> None:
    async with place.process() as api:
        Hooked(api.registry)
        instance_id = await enqueue(api, "job", "ok")
        await api.workflows.cancel(instance_id)
    hooked = Hooked(process.registry)
    async with at_work(process):
        await clock.advance_until(lambda: bool(hooked.runs))
    assert [(ended.instance_id, ended.status) for ended in hooked.runs] == [
        (instance_id, Status.CANCELLED)
    ]


async def test_it_waits_for_a_worker_that_knows_the_workflow(
    process: Process, place: Place, drive: Drive
) -> None:
    Hooked(process.registry)
    await process.workflows.cancel(await enqueue(process, "job", "ok"))
    stranger = Workflows()

    @stranger.workflow(on_terminal=_nothing)
    async def other(ctx: Context[None], params: None) -> None:
        return None

    async with place.process(stranger) as opened:
        driven = Driven(opened)
        await driven.round()
        await driven.close()
    assert await left(process) == 1


async def _nothing(ended: Ended[None]) -> None:
    return None


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


async def test_one_that_was_cut_short_by_a_crash_runs_again_after_its_lease(
    process: Process, drive: Drive, clock: FakeClock
) -> None:
    hooked = Hooked(process.registry)
    await process.workflows.cancel(await enqueue(process, "job", "ok"))
    claim = ClaimHooks(names=["job"], limit=9, lease=30 * SECOND)
    assert len(await process.store.write(claim)) == 1
    driven = drive(process)
    await clock.advance(29)
    await driven.round()
    assert hooked.runs == []
    await clock.advance(1)
    await driven.round()
    assert len(hooked.runs) == 1


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


async def test_many_are_run_in_batches(process: Process, drive: Drive) -> None:
    hooked = Hooked(process.registry)
    for _ in range(45):
        await process.workflows.cancel(await enqueue(process, "job", "ok"))
    await drive(process).round()
    assert len({ended.instance_id for ended in hooked.runs}) == len(hooked.runs) == 45


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
            patched.setattr(away, "apply", _unavailable)
            await driven.round()
        assert len(hooked.runs) == before + (away is FinishHook)
    gc.collect()
    assert [record.name for record in caplog.records] == ["service.runtime.hooks"] * 2
    await clock.advance(3_600)
    await driven.round()
    assert len(hooked.runs) == 2
    assert await left(process) == 0


def _unavailable(*_: object) -> None:
    raise Unavailable("The disk is full.", maybe_applied=False)


async def test_stopping_leaves_what_was_not_finished_to_another(
    process: Process, drive: Drive, clock: FakeClock
) -> None:
    runs: list[int] = []

    async def hook(ended: Ended[None]) -> None:
        runs.append(1)
        if len(runs) == 1:
            await asyncio.sleep(3_600)

    @process.registry.workflow(on_terminal=hook)
    async def job(ctx: Context[None], params: None) -> None:
        return None

    await process.workflows.cancel(await enqueue(process, "job"))
    async with at_work(process, lease=30 * SECOND):
        await clock.advance_until(lambda: bool(runs))
    await clock.advance(31)
    await drive(process).round()
    assert len(runs) == 2
