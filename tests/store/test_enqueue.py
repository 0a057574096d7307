import asyncio

import pytest

from service.domain import cursor
from service.domain.errors import SingletonConflict
from service.domain.events import EventType
from service.domain.instance import OnConflict, Status
from service.store.enqueue import Enqueue
from tests.clock import NOON
from tests.services import Process
from tests.store.making import asked, claim, enqueue, facts, launch


async def test_the_row_stands_with_its_event(process: Process) -> None:
    one = launch("order", queue="rush", priority=7, hooked=True)
    [placed] = await process.store.write(Enqueue(launches=[one], request=asked()))
    assert placed.created
    found = await process.store.instances.get(one.id)
    assert found is not None
    assert (found.status, found.queue, found.priority) == (Status.PENDING, "rush", 7)
    assert (found.attempts, found.max_attempts, found.last_error) == (0, 3, None)
    assert (found.input, found.output) == (one.input, None)
    assert (found.created_at, found.updated_at, found.run_after) == (NOON, NOON, NOON)
    assert (found.started_at, found.finished_at) == (None, None)
    [event] = process.fed
    assert (event.type, event.instance_id, event.status) == (
        EventType.ENQUEUED,
        one.id,
        Status.PENDING,
    )
    assert (event.action, event.attempt, event.at, event.position) == ("pay", None, NOON, 1)


async def test_the_answer_is_what_a_reader_finds(process: Process) -> None:
    placed = await enqueue(process, idempotency_key="k", singleton_key="s", priority=-3)
    found = await process.store.instances.get(placed.instance.id)
    assert found is not None
    assert found.cursor == placed.cursor
    found.cursor = ""
    assert found == placed.instance


async def test_its_cursor_stands_at_its_event(process: Process) -> None:
    await enqueue(process)
    placed = await enqueue(process)
    await enqueue(process)
    assert placed.event is not None
    at = cursor.decode(placed.cursor)
    assert (at.position, at.mark) == (2, placed.event.mark)


async def test_it_begins_at_its_first_action_with_its_input(process: Process) -> None:
    placed = await enqueue(process, input='{"a":1}', action="pay")
    [held] = await claim(process)
    assert held.id == placed.instance.id
    assert (held.action, held.params, held.input, held.state) == ("pay", '{"a":1}', '{"a":1}', None)
    assert (held.visit, held.fence, held.attempts, held.losses) == (1, 1, 0, 0)


async def test_many_at_once_each_get_their_own_answer(process: Process) -> None:
    placed = await asyncio.gather(*(enqueue(process, priority=n) for n in range(50)))
    assert [each.instance.priority for each in placed] == list(range(50))
    positions = [each.event.position for each in placed if each.event is not None]
    assert sorted(positions) == list(range(1, 51))
    found = await process.store.instances.get_many([each.instance.id for each in placed])
    assert [each and each.priority for each in found] == list(range(50))


async def test_plain_and_keyed_ones_share_a_commit_and_keep_their_answers(
    process: Process,
) -> None:
    keys = [None, "a", None, "b", "a", None]
    placed = await asyncio.gather(
        *(enqueue(process, priority=n, idempotency_key=key) for n, key in enumerate(keys))
    )
    assert [each.created for each in placed] == [True, True, True, True, False, True]
    assert placed[4].instance.id == placed[1].instance.id
    assert [each.instance.priority for each in placed] == [0, 1, 2, 3, 1, 5]


async def test_all_or_none(process: Process) -> None:
    holder = await enqueue(process, singleton_key="taken")
    before = (await process.store.events.head()).position
    launches = [
        launch(),
        launch(idempotency_key="k"),
        launch(singleton_key="taken", on_conflict=OnConflict.REFUSE),
        launch(),
    ]
    with pytest.raises(SingletonConflict, match=holder.instance.id):
        await process.store.write(Enqueue(launches=launches, request=asked()))
    assert await process.store.instances.get_many([one.id for one in launches]) == [None] * 4
    assert (await process.store.events.head()).position == before
    assert process.told() == [EventType.ENQUEUED]
    again = launch(idempotency_key="k")
    [placed] = await process.store.write(Enqueue(launches=[again], request=asked()))
    assert placed.created


async def test_one_refused_lets_the_others_of_its_commit_pass(process: Process) -> None:
    await enqueue(process, singleton_key="taken")
    answers = await asyncio.gather(
        enqueue(process),
        enqueue(process, singleton_key="taken", on_conflict=OnConflict.REFUSE),
        enqueue(process, singleton_key="free", on_conflict=OnConflict.REFUSE),
        enqueue(process),
        return_exceptions=True,
    )
    assert [type(each).__name__ for each in answers] == [
        "Placed",
        "SingletonConflict",
        "Placed",
        "Placed",
    ]
    assert [event.position for event in process.fed] == [1, 2, 3, 4]


async def test_a_refused_replacement_leaves_the_living_ones_alone(process: Process) -> None:
    holder = await enqueue(process, singleton_key="k")
    await enqueue(process, singleton_key="taken")
    launches = [
        launch(singleton_key="k", on_conflict=OnConflict.REPLACE),
        launch(singleton_key="taken", on_conflict=OnConflict.REFUSE),
    ]
    with pytest.raises(SingletonConflict):
        await process.store.write(Enqueue(launches=launches, request=asked()))
    assert await facts(process, holder.instance.id, "status", "finished_at") == ("PENDING", None)
    assert EventType.CANCELLED not in process.told()


async def test_what_a_caller_gave_comes_back_to_the_letter(process: Process) -> None:
    names = ["\U0001f600 \u202eabc", "\u00e9", "e\u0301", "'; DROP TABLE x; --", "a\nb", "100%_\\"]
    for name in names:
        placed = await enqueue(
            process, name, queue=name, idempotency_key=name, singleton_key=name, input=f'"{name}"'
        )
        found = await process.store.instances.get(placed.instance.id)
        assert found is not None
        kept = (found.name, found.queue, found.idempotency_key, found.singleton_key, found.input)
        assert kept == (name, name, name, name, f'"{name}"')
