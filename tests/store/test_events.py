import asyncio
import random

import pytest

from service.domain import cursor
from service.domain.clock import SECOND
from service.domain.cursor import LogCursor
from service.domain.errors import CursorExpired, InvalidCursor
from service.domain.events import Event, EventType
from service.domain.interest import EVERYTHING, Interest
from service.domain.transitions import complete
from service.store.retention import Prune
from tests.clock import FakeClock
from tests.services import Place, Process
from tests.store.making import cancel, claim, enqueue, move, onward, running


async def read_all(
    process: Process, interest: Interest = EVERYTHING, limit: int = 7
) -> list[Event]:
    found: list[Event] = []
    position = await process.store.events.oldest()
    head = (await process.store.events.head()).position
    while position < head:
        events, position = await process.store.events.after(position, interest, limit)
        assert len(events) <= limit
        found.extend(events)
    return found


async def life(process: Process) -> str:
    held = await running(process)
    await move(process, onward(held))
    held.visit = 2
    await move(process, complete(held, "1"))
    return held.id


async def test_it_has_what_was_told_to_the_letter(process: Process) -> None:
    await life(process)
    assert await read_all(process) == process.fed
    assert [event.position for event in process.fed] == [1, 2, 3, 4]


async def test_two_processes_write_one_log_without_gaps(place: Place) -> None:
    async with place.process() as one, place.process() as two:
        await asyncio.gather(*(enqueue(each) for each in [one, two] * 30))
        done = 0
        while done < 60:
            for each in (one, two):
                held = await claim(each, 7)
                done += len(held)
                await asyncio.gather(*(move(each, complete(h, "1")) for h in held))
        log = await read_all(one)
        assert [event.position for event in log] == list(range(1, 181))
        assert sorted(one.fed + two.fed, key=lambda event: event.position) == log
        for process in (one, two):
            positions = [event.position for event in process.fed]
            assert positions == sorted(positions)


async def test_each_life_is_told_in_the_order_in_which_it_was(place: Place) -> None:
    async with place.process() as one, place.process() as two:
        placed = await asyncio.gather(*(enqueue(each) for each in [one, two] * 10))

        async def work(process: Process) -> None:
            while held := await claim(process, 3):
                await asyncio.gather(*(move(process, complete(each, "1")) for each in held))

        async def stop() -> None:
            for each in random.Random(1).sample(placed, 8):
                await cancel(one, each.instance.id)

        await asyncio.gather(work(one), work(two), stop())
        for each in placed:
            told = [e.type for e in await one.store.events.of_instance(each.instance.id, 0, 99)]
            assert told in (
                [EventType.ENQUEUED, EventType.STARTED, EventType.COMPLETED],
                [EventType.ENQUEUED, EventType.CANCELLED],
                [
                    EventType.ENQUEUED,
                    EventType.STARTED,
                    EventType.CANCEL_REQUESTED,
                    EventType.COMPLETED,
                ],
            )


async def test_the_rows_agree_with_the_last_that_was_told(process: Process) -> None:
    for _ in range(4):
        await life(process)
    await enqueue(process)
    last = {event.instance_id: event.status for event in process.fed}
    rows = await process.rows("SELECT id, status FROM instances")
    assert dict(rows) == last


INTERESTS = [
    Interest(name="bill"),
    Interest(queue="rush"),
    Interest(types=frozenset({EventType.STARTED, EventType.COMPLETED})),
    Interest(name="order", queue="orders", types=frozenset({EventType.ENQUEUED})),
    Interest(name="nobody"),
]


@pytest.mark.parametrize("interest", INTERESTS)
@pytest.mark.parametrize("limit", [1, 3, 100])
async def test_it_gives_what_is_asked_for(process: Process, interest: Interest, limit: int) -> None:
    for name, queue in [("order", "orders"), ("bill", "rush"), ("bill", "orders")] * 3:
        held = await running(process, name, queue=queue)
        await move(process, complete(held, "1"))
    wanted = [event for event in process.fed if interest.matches(event)]
    assert await read_all(process, interest, limit) == wanted


@pytest.mark.parametrize("limit", [1, 2, 100])
async def test_it_gives_one_instances_events(process: Process, limit: int) -> None:
    ids = [await life(process) for _ in range(3)]
    mine = [event for event in process.fed if event.instance_id == ids[1]]
    assert await read_all(process, Interest(instance_id=ids[1]), limit) == mine
    started = Interest(instance_id=ids[1], types=frozenset({EventType.STARTED}))
    assert await read_all(process, started, limit) == [mine[1]]
    assert (
        list(await process.store.events.of_instance(ids[1], mine[0].position, limit))
        == (mine[1 : 1 + limit])
    )


async def test_a_long_search_goes_in_stretches(process: Process) -> None:
    await asyncio.gather(*(enqueue(process) for _ in range(1_200)))
    events, searched = await process.store.events.after(0, Interest(name="nobody"), 10)
    assert (list(events), searched) == ([], 1_000)
    events, searched = await process.store.events.after(1_000, Interest(name="nobody"), 10)
    assert (list(events), searched) == ([], 1_200)


async def test_past_the_head_there_is_nothing(process: Process) -> None:
    await enqueue(process)
    assert await process.store.events.after(1, EVERYTHING, 9) == ([], 1)
    assert await process.store.events.after(50, EVERYTHING, 9) == ([], 50)


async def test_the_head_and_every_event_are_cursors(process: Process) -> None:
    await life(process)
    for event in process.fed:
        at = LogCursor(event.position, event.mark)
        assert await process.store.events.resolve(at) == event.position
    assert await process.store.events.head() == LogCursor(4, process.fed[-1].mark)


async def test_before_the_first_event_there_is_a_cursor(process: Process) -> None:
    genesis = await process.store.events.head()
    assert genesis.position == 0
    assert await process.store.events.resolve(genesis) == 0
    await life(process)
    assert await process.store.events.resolve(genesis) == 0
    with pytest.raises(InvalidCursor, match="another history"):
        await process.store.events.resolve(LogCursor(0, genesis.mark ^ 1))


async def test_a_cursor_past_the_head_is_refused(process: Process) -> None:
    await life(process)
    with pytest.raises(InvalidCursor, match="past the end"):
        await process.store.events.resolve(LogCursor(5, process.fed[-1].mark))


@pytest.mark.parametrize("position", [1, 3, 4])
async def test_a_cursor_of_another_history_is_refused(process: Process, position: int) -> None:
    await life(process)
    at = LogCursor(position, process.fed[position - 1].mark ^ 1)
    with pytest.raises(InvalidCursor, match="another history"):
        await process.store.events.resolve(at)


async def test_a_cursor_of_another_database_is_refused(place: Place, elsewhere: Place) -> None:
    cursors: list[list[LogCursor]] = []
    async with place.process() as here, elsewhere.process() as there:
        for process in (here, there):
            genesis = await process.store.events.head()
            await life(process)
            await process.clock.advance(1)
            cursors.append([genesis, await process.store.events.head()])
        for process, foreign in zip((here, there), reversed(cursors), strict=True):
            for each in foreign:
                with pytest.raises(InvalidCursor):
                    await process.store.events.resolve(each)


async def test_a_pruned_cursor_says_so(process: Process, clock: FakeClock) -> None:
    genesis = await process.store.events.head()
    await life(process)
    await clock.advance(100)
    await enqueue(process)
    old, new = process.fed[:4], process.fed[4]
    await process.store.write(Prune(age=SECOND, limit=2))
    assert await process.store.events.oldest() == 2
    for pruned in (genesis, *(LogCursor(event.position, event.mark) for event in old[:2])):
        with pytest.raises(CursorExpired, match='""'):
            await process.store.events.resolve(pruned)
    with pytest.raises(CursorExpired):
        await process.store.events.after(1, EVERYTHING, 9)
    assert (await process.store.events.after(2, EVERYTHING, 9))[0] == process.fed[2:]
    for left in (*old[2:], new):
        assert await process.store.events.resolve(LogCursor(left.position, left.mark))


async def test_an_instance_and_its_cursor_are_of_one_moment(
    process: Process, other: Process
) -> None:
    ids: list[str] = []

    async def write() -> None:
        while len(ids) < 40:
            placed = await enqueue(other)
            ids.append(placed.instance.id)

    async def look() -> None:
        while len(ids) < 40:
            for each in ids[-1:]:
                found = await process.store.instances.get(each)
                assert found is not None
                at = cursor.decode(found.cursor)
                [first] = await process.store.events.of_instance(each, 0, 1)
                assert at.position >= first.position
                assert await process.store.events.resolve(at) == at.position
            await asyncio.sleep(0)

    await asyncio.gather(write(), look())
