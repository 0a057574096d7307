import asyncio

import pytest

from service.domain import cursor
from service.domain.canonical import digest
from service.domain.clock import SECOND
from service.domain.errors import IdempotencyConflict
from service.domain.events import EventType
from service.domain.instance import OnConflict, Status
from service.domain.transitions import complete
from service.store.retention import Prune
from tests.clock import FakeClock
from tests.services import Place, Process
from tests.store.making import enqueue, move, running


async def test_the_same_key_gives_the_same_instance(process: Process) -> None:
    first, second, third = [await enqueue(process, idempotency_key="k") for _ in range(3)]
    assert [each.created for each in (first, second, third)] == [True, False, False]
    assert {each.instance.id for each in (first, second, third)} == {first.instance.id}
    assert process.told() == [EventType.ENQUEUED]


async def test_it_is_given_back_as_it_is_now_with_a_cursor_to_follow_it(process: Process) -> None:
    held = await running(process, idempotency_key="k")
    again = await enqueue(process, idempotency_key="k")
    assert (again.instance.id, again.instance.status) == (held.id, Status.RUNNING)
    assert cursor.decode(again.cursor).position == (await process.store.events.head()).position == 2
    assert again.cursor == again.instance.cursor


async def test_a_key_is_of_one_workflow(process: Process) -> None:
    order = await enqueue(process, "order", idempotency_key="k")
    bill = await enqueue(process, "bill", idempotency_key="k", input='{"other":1}')
    assert (order.created, bill.created) == (True, True)


async def test_other_params_under_the_same_key_are_refused_and_change_nothing(
    process: Process,
) -> None:
    first = await enqueue(process, idempotency_key="k")
    with pytest.raises(IdempotencyConflict, match=first.instance.id):
        await enqueue(process, idempotency_key="k", params_digest=digest({"cents": 1}))
    assert process.told() == [EventType.ENQUEUED]


async def test_another_queue_or_priority_is_no_conflict_but_no_change_either(
    process: Process,
) -> None:
    await enqueue(process, idempotency_key="k")
    again = await enqueue(process, idempotency_key="k", queue="rush", priority=9)
    assert (again.instance.queue, again.instance.priority) == ("orders", 0)


async def test_the_idempotency_key_is_judged_before_the_singleton_key(process: Process) -> None:
    first = await enqueue(process, idempotency_key="k", singleton_key="s")
    again = await enqueue(
        process, idempotency_key="k", singleton_key="s", on_conflict=OnConflict.REFUSE
    )
    replacing = await enqueue(
        process, idempotency_key="k", singleton_key="s", on_conflict=OnConflict.REPLACE
    )
    assert again.instance.id == replacing.instance.id == first.instance.id
    assert process.told() == [EventType.ENQUEUED]


async def test_an_ended_instance_still_answers_for_its_key(process: Process) -> None:
    held = await running(process, idempotency_key="k")
    await move(process, complete(held, '"paid"'))
    again = await enqueue(process, idempotency_key="k")
    assert (again.created, again.instance.id, again.instance.output) == (False, held.id, '"paid"')


async def test_a_pruned_key_is_free_again(process: Process, clock: FakeClock) -> None:
    held = await running(process, idempotency_key="k")
    await move(process, complete(held, "1"))
    await clock.advance(11)
    await process.store.write(Prune(age=10 * SECOND, limit=10))
    again = await enqueue(process, idempotency_key="k", params_digest=digest("something else"))
    assert again.created
    assert again.instance.id != held.id


async def test_twenty_at_once_on_two_processes_make_one(place: Place) -> None:
    async with place.process() as one, place.process() as two:
        for key in range(5):
            placed = await asyncio.gather(
                *(enqueue(each, idempotency_key=f"k{key}") for each in [one, two] * 10)
            )
            assert len({each.instance.id for each in placed}) == 1
            assert [each.created for each in placed].count(True) == 1
        assert sorted(one.told() + two.told()) == [EventType.ENQUEUED] * 5


async def test_keys_that_only_look_alike_are_two(process: Process) -> None:
    keys = ["K", "k", "k ", "\u00e9", "e\u0301", "k%", "k_"]
    placed = [await enqueue(process, idempotency_key=key) for key in keys]
    assert all(each.created for each in placed)
