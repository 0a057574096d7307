from collections.abc import Sequence
from typing import Any

import pytest

from service.domain.errors import InvalidState
from service.domain.events import Event
from service.store.batch import Batch, Write, perform
from service.store.database import Transaction
from tests.clock import NOON
from tests.services import Process
from tests.store.writes import Early, Note, Refused, event


async def performed(
    process: Process, writes: Sequence[Write[Any]]
) -> tuple[list[Any], list[Event]]:
    answers, batch = await process.database.transaction(lambda tx: perform(tx, writes))
    batch.place()
    return answers, batch.events


async def test_kinds_are_written_in_the_order_of_their_rank(process: Process) -> None:
    writes = [Note(name="a"), Early(name="b"), Note(name="c"), Early(name="d")]
    answers, events = await performed(process, writes)
    assert [each.name for each in events] == ["b", "d", "a", "c"]
    assert [each.position for each in events] == [1, 2, 3, 4]
    assert len({id(answer) for answer in answers}) == 1


async def test_each_answer_comes_back_in_its_place(process: Process) -> None:
    answers, events = await performed(process, [Note(), Refused(), Early(), Refused()])
    assert [type(answer) for answer in answers] == [Batch, InvalidState, Batch, InvalidState]
    assert len(events) == 2


async def test_events_are_stamped_with_the_time_of_the_transaction(process: Process) -> None:
    _, events = await performed(process, [Note(), Early()])
    assert {each.at for each in events} == {NOON}


async def test_what_is_to_come_after_the_log_sees_the_positions(process: Process) -> None:
    await performed(process, [Note()])

    def work(tx: Transaction) -> int:
        batch = Batch(tx)
        seen: list[int] = []
        told = batch.tell(event("a"))
        batch.after_log(lambda: seen.append(told.position))
        assert told.position == 0
        batch.close()
        return seen[0]

    assert await process.database.transaction(work) == 2


async def test_what_is_taken_back_leaves_no_gap(process: Process) -> None:
    def work(tx: Transaction) -> Batch:
        batch = Batch(tx)
        batch.tell(event("a"))
        told = len(batch.events)
        batch.tell(event("b"))
        batch.tell(event("c"))
        batch.forget(told)
        batch.tell(event("d"))
        batch.close()
        return batch

    batch = await process.database.transaction(work)
    batch.place()
    assert [(each.name, each.position) for each in batch.events] == [("a", 1), ("d", 2)]
    assert (await process.store.events.head()).position == 2


async def test_a_batch_that_tells_nothing_leaves_the_log_alone(process: Process) -> None:
    before = await process.store.events.head()
    _, events = await performed(process, [Refused()])
    assert events == []
    assert await process.store.events.head() == before


async def test_a_savepoint_undoes_its_block_and_no_more(process: Process) -> None:
    def undone(tx: Transaction) -> None:
        with tx.savepoint():
            tx.run("pause_queue", [("undone", True)])
            raise ZeroDivisionError

    def work(tx: Transaction) -> None:
        tx.run("pause_queue", [("kept", True)])
        with pytest.raises(ZeroDivisionError):
            undone(tx)
        with tx.savepoint():
            tx.run("pause_queue", [("kept too", True)])

    await process.database.transaction(work)
    assert [view.name for view in await process.store.queues.list([])] == ["kept", "kept too"]


async def test_a_write_must_say_what_it_does(process: Process) -> None:
    class Nothing(Write[None]):
        rank = 1

    with pytest.raises(NotImplementedError):
        await performed(process, [Nothing()])
