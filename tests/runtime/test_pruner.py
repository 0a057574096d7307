import asyncio
from collections.abc import Callable

import pytest

from service.domain.clock import SECOND
from service.domain.errors import Unavailable
from service.runtime.pruner import Pruner
from service.store.retention import Prune
from tests.clock import FakeClock
from tests.services import Process, until
from tests.store.making import cancel, enqueue


async def ended(process: Process, count: int) -> None:
    for _ in range(count):
        await cancel(process, (await enqueue(process)).instance.id)


def pruner(process: Process, batch: int = 2) -> Pruner:
    return Pruner(process.store, process.clock, age=10 * SECOND, batch=batch)


async def count(process: Process, table: str = "instances") -> int:
    return (await process.rows(f"SELECT count(*) FROM {table}"))[0][0]  # noqa: S608


async def swept(clock: FakeClock, work: Callable[[], object]) -> None:
    await clock.advance_until(lambda: bool(work()), step=0.05, limit=100)


async def test_it_takes_all_that_is_old_enough_in_batches_with_rests_between(
    process: Process, clock: FakeClock
) -> None:
    await ended(process, 5)
    await clock.advance(11)
    living = await enqueue(process)
    begun = clock.monotonic()
    pruning = asyncio.create_task(pruner(process).prune())
    await swept(clock, pruning.done)
    assert await pruning == 5 + 10
    assert clock.monotonic() - begun >= 0.05 * 5
    assert await process.rows("SELECT id FROM instances") == [(living.instance.id,)]
    assert await count(process, "events") == 1


async def test_it_prunes_once_a_minute(process: Process, clock: FakeClock) -> None:
    sweeps: list[float] = []

    class Noted(Pruner):
        async def prune(self) -> int:
            sweeps.append(clock.monotonic())
            return await super().prune()

    task = asyncio.create_task(Noted(process.store, clock, age=SECOND, batch=2).run())
    for _ in range(3):
        await until(lambda: clock.sleepers)
        await clock.advance(60)
    assert sweeps == [0, 60, 120, 180]
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize("error", [Unavailable("The disk is full."), ZeroDivisionError("odd")])
async def test_it_outlives_what_goes_wrong(
    process: Process,
    clock: FakeClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
) -> None:
    await ended(process, 2)
    await clock.advance(11)

    def fail(*_: object) -> None:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(Prune, "apply", fail)
        task = asyncio.create_task(pruner(process).run())
        await until(lambda: caplog.records)
    while await count(process):
        await clock.advance(1)
    assert not task.done()
    assert clock.monotonic() >= 71
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
