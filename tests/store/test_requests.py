import asyncio
from collections.abc import Awaitable, Callable

import pytest

from service.domain.errors import IdempotencyConflict, NotFound, SingletonConflict
from service.domain.events import EventType
from service.domain.instance import CancelOutcome, OnConflict
from service.domain.transitions import complete
from service.store.cancel import Cancel, Stopped
from service.store.enqueue import Enqueue, Placed
from service.store.queues import Pause
from service.store.requests import Request
from service.store.requeue import Requeue
from tests.services import Place, Process
from tests.store.making import asked, cancel, enqueue, launch, move, running


async def place_many(process: Process, request: Request, count: int = 1) -> list[Placed]:
    launches = [launch() for _ in range(count)]
    return await process.store.write(Enqueue(launches=launches, request=request))


async def stop(process: Process, instance_id: str, request: Request) -> Stopped:
    return await process.store.write(Cancel(instance_id=instance_id, request=request))


async def test_a_repeated_enqueue_gives_the_first_answer(process: Process) -> None:
    [first] = await place_many(process, asked("r"))
    await enqueue(process)
    [again] = await place_many(process, asked("r"))
    assert (again.instance.id, again.created, again.cursor) == (
        first.instance.id,
        True,
        first.cursor,
    )
    assert len(process.fed) == 2


async def test_the_instance_in_a_repeated_answer_is_as_it_is_now(process: Process) -> None:
    [first] = await place_many(process, asked("r"))
    await cancel(process, first.instance.id)
    [again] = await place_many(process, asked("r"))
    assert again.instance.status == "CANCELLED"


async def test_a_repeated_enqueue_of_many_gives_every_first_answer(process: Process) -> None:
    existing = await enqueue(process, idempotency_key="k")
    launches = [launch(), launch(idempotency_key="k"), launch()]
    first = await process.store.write(Enqueue(launches=launches, request=asked("r")))
    again = await process.store.write(
        Enqueue(launches=[launch() for _ in range(3)], request=asked("r"))
    )
    assert [each.created for each in first] == [True, False, True]
    assert first[1].instance.id == existing.instance.id
    assert [(a.instance.id, a.created, a.cursor) for a in again] == [
        (f.instance.id, f.created, f.cursor) for f in first
    ]
    assert len(process.fed) == 3


async def test_a_repeated_cancel_gives_the_first_outcome(process: Process) -> None:
    held = await running(process)
    first = await stop(process, held.id, asked("r"))
    await move(process, complete(held, "1"))
    again = await stop(process, held.id, asked("r"))
    anew = await stop(process, held.id, asked("other"))
    assert (first.outcome, again.outcome, anew.outcome) == (
        CancelOutcome.REQUESTED,
        CancelOutcome.REQUESTED,
        CancelOutcome.ALREADY_ENDED,
    )
    assert again.cursor == first.cursor
    assert again.instance.status == "COMPLETED"


async def test_a_repeated_cancel_does_not_cancel_what_was_put_back(process: Process) -> None:
    placed = await enqueue(process)
    await stop(process, placed.instance.id, asked("r"))
    await process.store.write(Requeue(instance_id=placed.instance.id, request=asked()))
    again = await stop(process, placed.instance.id, asked("r"))
    assert (again.outcome, again.instance.status) == (CancelOutcome.CANCELLED, "PENDING")


async def test_a_repeated_retry_gives_the_first_answer_and_puts_nothing_back(
    process: Process,
) -> None:
    placed = await enqueue(process)
    await cancel(process, placed.instance.id)
    put_back = Requeue(instance_id=placed.instance.id, request=asked("r"))
    first = await process.store.write(put_back)
    await cancel(process, placed.instance.id)
    again = await process.store.write(Requeue(instance_id=placed.instance.id, request=asked("r")))
    assert again.cursor == first.cursor
    assert again.instance.status == "CANCELLED"
    assert process.told().count(EventType.REQUEUED) == 1


async def test_a_repeated_pause_does_not_pause_again(process: Process) -> None:
    async def paused() -> bool:
        return (await process.store.queues.list(["orders"]))[0].paused

    await process.store.write(Pause(name="orders", paused=True, request=asked("r")))
    assert await paused()
    await process.store.write(Pause(name="orders", paused=False, request=asked("s")))
    await process.store.write(Pause(name="orders", paused=True, request=asked("r")))
    assert not await paused()


REPEATERS: dict[str, Callable[[Process, Request], Awaitable[object]]] = {
    "enqueue": place_many,
    "cancel": lambda process, request: stop(process, "none", request),
    "retry": lambda process, request: process.store.write(
        Requeue(instance_id="none", request=request)
    ),
    "pause": lambda process, request: process.store.write(
        Pause(name="orders", paused=True, request=request)
    ),
}


@pytest.mark.parametrize("mutation", REPEATERS)
async def test_an_id_used_for_something_else_is_refused(process: Process, mutation: str) -> None:
    await place_many(process, asked("r", "enqueue this"))
    with pytest.raises(IdempotencyConflict, match="'r'"):
        await REPEATERS[mutation](process, asked("r", "another thing"))
    assert len(process.fed) == 1


async def test_what_was_refused_is_not_kept(process: Process) -> None:
    with pytest.raises(NotFound):
        await stop(process, "i", asked("r"))
    holder = await enqueue(process, singleton_key="k")
    one = launch(singleton_key="k", on_conflict=OnConflict.REFUSE)
    with pytest.raises(SingletonConflict):
        await process.store.write(Enqueue(launches=[one], request=asked("r")))
    await cancel(process, holder.instance.id)
    [placed] = await process.store.write(Enqueue(launches=[one], request=asked("r")))
    assert placed.created


async def test_an_id_that_the_server_made_is_not_kept(process: Process) -> None:
    await place_many(process, asked())
    assert await process.rows("SELECT * FROM requests") == []


async def test_it_is_repeated_at_once_and_in_another_process(place: Place) -> None:
    async with place.process() as one, place.process() as two:
        answers = await asyncio.gather(*(place_many(each, asked("r")) for each in [one, two] * 10))
        assert len({(each.instance.id, each.cursor) for [each] in answers}) == 1
        assert len(one.fed) + len(two.fed) == 1
    async with place.process() as three:
        [again] = await place_many(three, asked("r"))
        assert again.cursor == answers[0][0].cursor


async def test_the_rows_that_it_changed_carry_its_id(process: Process) -> None:
    [placed] = await place_many(process, asked("r"))
    await stop(process, placed.instance.id, asked("s"))
    assert await process.rows("SELECT request FROM instances") == [("s",)]
