import asyncio
import sqlite3
import threading

import pytest

from service.store.database import Transaction
from tests.clock import FakeClock
from tests.services import Place, Process, until
from tests.store.making import enqueue, facts, running

SETUP = {
    "journal_mode": "wal",
    "synchronous": 2,
    "foreign_keys": 1,
}


@pytest.mark.parametrize("pragma", SETUP)
async def test_every_connection_is_durable(process: Process, pragma: str) -> None:
    def work(tx: Transaction) -> object:
        return tx.compose(f"PRAGMA {pragma}", ())[0][0]

    session = process.store.session()
    found = [
        await process.database.transaction(work),
        await process.database.read(work),
        session.transaction(work),
    ]
    session.close()
    assert found == [SETUP[pragma]] * 3


async def test_what_fails_is_rolled_back(process: Process) -> None:
    def work(tx: Transaction) -> None:
        tx.run("pause_queue", [("orders", True)])
        raise ZeroDivisionError

    session = process.store.session()
    with pytest.raises(ZeroDivisionError):
        await process.database.transaction(work)
    with pytest.raises(ZeroDivisionError):
        session.transaction(work)
    session.close()
    assert await process.rows("SELECT * FROM queues") == []


async def test_a_read_writes_nothing_and_sees_one_moment(process: Process, other: Process) -> None:
    await enqueue(process)
    looked, written = threading.Event(), threading.Event()

    def count(tx: Transaction) -> int:
        return tx.compose("SELECT count(*) FROM instances", ())[0][0]

    def work(tx: Transaction) -> tuple[int, int]:
        before = count(tx)
        looked.set()
        assert written.wait(10)
        return before, count(tx)

    reading = asyncio.create_task(process.database.read(work))
    await asyncio.to_thread(looked.wait)
    await enqueue(other)
    written.set()
    assert await reading == (1, 1)
    assert await process.database.read(count) == 2


async def test_a_transaction_has_one_time(process: Process, clock: FakeClock) -> None:
    def work(tx: Transaction) -> tuple[int, int]:
        before = tx.now
        clock.set_wall(100)
        return before, tx.now

    before, after = await process.database.transaction(work)
    assert before == after
    assert clock.now() > after


async def test_a_mistake_in_a_statement_is_not_hidden(process: Process) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        await process.database.read(lambda tx: tx.compose("SELECT * FROM nowhere", ()))
    assert (await enqueue(process)).created


async def test_an_instance_takes_its_failures_with_it(process: Process) -> None:
    held = await running(process)
    await process.alter(
        "INSERT INTO failures VALUES (?, 1, 1, 'pay', 1, 'E', 'm', 0)",
        held.id,
    )
    assert await facts(process, held.id, "id") == (held.id,)
    await process.alter("DELETE FROM instances")
    assert await process.rows("SELECT * FROM failures") == []


async def test_closing_leaves_no_thread(place: Place) -> None:
    before = set(threading.enumerate())
    async with place.process() as process:
        await enqueue(process)
        assert set(threading.enumerate()) - before
    pool = "asyncio_"  # the loop's own
    await until(
        lambda: all(thread.name.startswith(pool) for thread in set(threading.enumerate()) - before)
    )
