import asyncio
from collections.abc import Callable

from service.domain.clock import SECOND
from service.domain.context import Context
from service.domain.definition import Ended
from service.domain.instance import Status
from service.domain.registry import Workflows
from service.store.hooks import ClaimHooks
from tests.clock import FakeClock
from tests.runtime.driving import Driven, at_work, enqueue
from tests.runtime.hooked import Hooked, left
from tests.services import Place, Process, until

Drive = Callable[..., Driven]


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
        done: Ended(instance_id=done, name="job", status=Status.COMPLETED, output=7, error=None),
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
        await process.pass_until(lambda: bool(hooked.runs))
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


async def test_many_are_run_in_batches(process: Process, drive: Drive) -> None:
    hooked = Hooked(process.registry)
    for _ in range(45):
        await process.workflows.cancel(await enqueue(process, "job", "ok"))
    await drive(process).round()
    assert len({ended.instance_id for ended in hooked.runs}) == len(hooked.runs) == 45


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
        await process.pass_until(lambda: bool(runs))
    await clock.advance(31)
    await drive(process).round()
    assert len(runs) == 2
