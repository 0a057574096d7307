from service.domain.clock import SECOND
from service.runtime.promoter import Promoter
from tests.clock import FakeClock
from tests.services import Process
from tests.store.making import claim, enqueue, facts, later, move, running


async def promote(process: Process) -> int:
    return await Promoter(process.store).promote(await process.store.agenda())


async def test_what_has_come_due_can_be_claimed(process: Process, clock: FakeClock) -> None:
    held = await running(process)
    await move(process, later(held, 60 * SECOND))
    await clock.advance(59)
    assert await promote(process) == 0
    await clock.advance(1)
    assert await promote(process) == 1
    assert await facts(process, held.id, "ready") == (1,)
    assert await promote(process) == 0


async def test_however_many_there_are(process: Process, clock: FakeClock) -> None:
    for _ in range(520):
        await enqueue(process)
    for held in await claim(process, 520):
        await move(process, later(held, SECOND))
    await clock.advance(1)
    assert await promote(process) == 520
    assert len(await claim(process, 600)) == 520
