"""Somebody else holds what a write needs: reads go on, and writes are given up in time."""

import asyncio
import time
from collections.abc import AsyncGenerator

import pytest

from service.domain.errors import Unavailable
from service.store.upkeep import renew
from tests.scenarios.raw import busy
from tests.services import Place, Process
from tests.store.making import cancel, enqueue

PATIENCE = 0.3


@pytest.fixture
async def impatient(place: Place) -> AsyncGenerator[Process]:
    async with place.process(busy_timeout=PATIENCE) as opened:
        yield opened


async def test_reading_goes_on_while_a_write_waits(place: Place, process: Process) -> None:
    placed = await enqueue(process)
    with busy(place.url):
        writing = asyncio.create_task(enqueue(process))
        for _ in range(20):
            assert await process.store.instances.get(placed.instance.id)
            assert await process.store.agenda()
        assert not writing.done()
    await writing


async def test_a_read_needs_no_other_read_to_end(process: Process) -> None:
    both = asyncio.Event()
    loop = asyncio.get_running_loop()

    async def slow() -> None:
        await process.database.read(lambda tx: tx.compose("SELECT pg_sleep(0.5)", ()))
        loop.call_soon(both.set)

    reading = asyncio.create_task(slow())
    await asyncio.sleep(0.1)
    assert await process.store.instances.get("i") is None
    assert not both.is_set()
    await reading


async def test_writes_whose_turn_does_not_come_are_given_up_with_nothing_applied(
    place: Place, impatient: Process
) -> None:
    placed = await enqueue(impatient)
    with busy(place.url):
        begun = time.monotonic()
        answers = await asyncio.gather(
            enqueue(impatient),
            cancel(impatient, placed.instance.id),
            cancel(impatient, placed.instance.id),
            return_exceptions=True,
        )
        assert time.monotonic() - begun < 4 * PATIENCE + 1
    assert [type(answer) for answer in answers] == [Unavailable] * 3
    assert not any(answer.maybe_applied for answer in answers if isinstance(answer, Unavailable))
    await enqueue(impatient)
    assert await impatient.rows("SELECT count(*) FROM instances") == [(2,)]
    assert [event.position for event in impatient.fed] == [1, 2]


async def test_a_turn_that_comes_in_time_is_taken(place: Place, process: Process) -> None:
    with busy(place.url):
        writing = asyncio.create_task(enqueue(process))
        await asyncio.sleep(0.1)
        assert not writing.done()
    assert (await writing).created


async def test_a_session_gives_up_too(place: Place, impatient: Process) -> None:
    session = impatient.store.session()
    with busy(place.url):
        with pytest.raises(Unavailable) as caught:
            await asyncio.to_thread(session.transaction, lambda tx: tx.run("mark_pruned", [(0,)]))
        assert not caught.value.maybe_applied
    assert session.transaction(lambda tx: renew(tx, [("nobody", 1)], 1)) == [None]
    session.close()


async def test_what_is_under_way_is_finished_when_it_is_closed(place: Place) -> None:
    async with place.process() as process:
        writing = asyncio.create_task(enqueue(process))
        await asyncio.sleep(0)
    assert (await writing).created
