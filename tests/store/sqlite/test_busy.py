"""Other processes hold the turn to write, or the database itself."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager

import pytest

from service.domain.errors import Unavailable
from service.store.sqlite.sidefile import SideFile
from tests.services import Place, Process
from tests.store.making import cancel, enqueue


@pytest.fixture
async def impatient(place: Place) -> AsyncGenerator[Process]:
    async with place.process(busy_timeout=0.05) as opened:
        yield opened


@contextmanager
def turn_taken(place: Place) -> Generator[None]:
    """Hold the turn to write, as another process does."""
    side = SideFile(place.path)
    with side.turn():
        yield
    side.close()


async def test_a_write_whose_turn_does_not_come_is_given_up_with_nothing_applied(
    place: Place, impatient: Process
) -> None:
    before = await enqueue(impatient)
    with turn_taken(place):
        with pytest.raises(Unavailable, match="busy") as caught:
            await enqueue(impatient, idempotency_key="k")
        assert not caught.value.maybe_applied
    after = await enqueue(impatient)
    assert await impatient.rows("SELECT id FROM instances ORDER BY created_at, id") == [
        (before.instance.id,),
        (after.instance.id,),
    ]
    assert [event.position for event in impatient.fed] == [1, 2]


async def test_whoever_waits_in_line_is_told_too_and_later_writes_pass(
    place: Place, impatient: Process
) -> None:
    placed = await enqueue(impatient)
    with turn_taken(place):
        answers = await asyncio.gather(
            enqueue(impatient),
            cancel(impatient, placed.instance.id),
            cancel(impatient, placed.instance.id),
            return_exceptions=True,
        )
    assert [type(answer) for answer in answers] == [Unavailable] * 3
    assert len(impatient.fed) == 1
    await cancel(impatient, placed.instance.id)
    assert len(impatient.fed) == 2


async def test_reading_goes_on_meanwhile(place: Place, impatient: Process) -> None:
    placed = await enqueue(impatient)
    with turn_taken(place):
        found = await impatient.store.instances.get(placed.instance.id)
        assert found is not None


async def test_a_turn_that_comes_in_time_is_taken(place: Place, process: Process) -> None:
    with turn_taken(place):
        writing = asyncio.create_task(enqueue(process))
        await asyncio.sleep(0.05)
        assert not writing.done()
    assert (await writing).created


async def test_a_program_that_takes_no_turn_is_waited_for_and_then_said_to_be_busy(
    place: Place, impatient: Process
) -> None:
    stranger = sqlite3.connect(place.path, isolation_level=None)
    try:
        stranger.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable, match="busy") as caught:
            await enqueue(impatient)
        assert not caught.value.maybe_applied
        stranger.execute("ROLLBACK")
        assert (await enqueue(impatient)).created
    finally:
        stranger.close()


async def test_a_caller_who_is_cancelled_while_it_waits_is_cancelled(
    place: Place, process: Process
) -> None:
    with turn_taken(place):
        waiting = asyncio.create_task(process.database.transaction(lambda tx: tx.now))
        await asyncio.sleep(0.02)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    assert (await enqueue(process)).created


async def test_a_disk_that_does_not_answer_leaves_it_open_whether_it_was_applied(
    impatient: Process,
) -> None:
    going_on = threading.Event()
    with pytest.raises(Unavailable, match="too slow") as caught:
        await impatient.database.transaction(lambda tx: going_on.wait(10) or tx.now)
    assert caught.value.maybe_applied
    going_on.set()
    assert (await enqueue(impatient)).created


async def test_a_session_takes_its_turn_too(place: Place, process: Process) -> None:
    session = await asyncio.to_thread(process.store.session)
    began = threading.Event()

    def write() -> int:
        began.set()
        return session.transaction(lambda tx: tx.now)

    with turn_taken(place):
        writing = asyncio.create_task(asyncio.to_thread(write))
        await asyncio.to_thread(began.wait)
        await asyncio.sleep(0.02)
        assert not writing.done()
    assert await writing == place.clock.now()
    await asyncio.to_thread(session.close)


async def test_many_processes_under_load_never_see_a_locked_database(place: Place) -> None:
    async with place.process() as one, place.process() as two, place.process() as three:
        await asyncio.gather(*(enqueue(each) for each in [one, two, three] * 40))
        positions = sorted(event.position for each in (one, two, three) for event in each.fed)
        assert positions == list(range(1, 121))
