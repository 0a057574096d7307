import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import closing

import pytest

from service.domain.errors import InvalidState, Unavailable
from service.domain.events import Event
from service.store.batch import Batch
from service.store.committer import Committer
from service.store.database import Database, Work
from tests.services import Place, Process
from tests.store.making import enqueue
from tests.store.writes import Broken, Early, Note, Refused, Slow


class Watched:
    """A database that a test can make fail, and that counts its transactions."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.transactions = 0
        self.fail: Callable[[], None] = lambda: None

    async def transaction(self, work: Work[object]) -> object:
        self.transactions += 1
        self.fail()
        return await self._database.transaction(work)


@pytest.fixture
def watched(process: Process) -> Watched:
    return Watched(process.database)


@pytest.fixture
def committer(watched: Watched, process: Process) -> Committer:
    return Committer(watched, process.fed.extend)  # type: ignore[arg-type]


async def gather(committer: Committer, *writes: Note) -> list[Batch]:
    return list(await asyncio.gather(*map(committer.write, writes)))


async def test_what_comes_together_is_committed_together(
    committer: Committer, watched: Watched
) -> None:
    batches = await gather(committer, *(Note() for _ in range(100)))
    assert len(set(map(id, batches))) == 1
    assert watched.transactions == 1


async def test_what_comes_while_a_commit_is_under_way_shares_the_next(
    committer: Committer, watched: Watched
) -> None:
    slow = Slow()
    first = asyncio.create_task(committer.write(slow))
    await asyncio.to_thread(slow.begun.wait, 10)
    asyncio.get_running_loop().call_soon(slow.release.set)
    rest = await gather(committer, *(Note() for _ in range(50)))
    assert watched.transactions == 2
    assert len(set(map(id, rest))) == 1
    assert await first is not rest[0]


async def test_what_comes_before_the_turn_does_comes_along(
    committer: Committer, watched: Watched, process: Process
) -> None:
    begun, release = threading.Event(), threading.Event()

    def hold() -> None:
        with closing(process.database.session()) as session:
            session.transaction(lambda _: (begun.set(), release.wait(10)))

    holding = asyncio.create_task(asyncio.to_thread(hold))
    await asyncio.to_thread(begun.wait, 10)
    first = asyncio.create_task(committer.write(Note()))
    while not watched.transactions:
        await asyncio.sleep(0)
    second = asyncio.create_task(committer.write(Note()))
    await asyncio.sleep(0)
    release.set()
    assert await first is await second
    assert watched.transactions == 1
    await holding


async def test_a_commit_has_an_end(committer: Committer, watched: Watched) -> None:
    batches = await gather(committer, *(Note() for _ in range(1_201)))
    sizes = [len(batch.events) for batch in {id(batch): batch for batch in batches}.values()]
    assert max(sizes) == 500
    assert sum(sizes) == 1_201
    assert watched.transactions == 3


async def test_two_writes_that_touch_one_thing_never_share_a_commit(
    committer: Committer, process: Process
) -> None:
    a, b, a2, free, ab = await gather(
        committer,
        Note(name="a", touches=("a",)),
        Note(name="b", touches=("b",)),
        Note(name="a2", touches=("c", "a")),
        Note(name="free"),
        Note(name="ab", touches=("a", "b")),
    )
    assert a is b is free
    assert len({id(a), id(a2), id(ab)}) == 3
    assert [event.name for event in process.fed] == ["a", "b", "free", "a2", "ab"]


async def test_writes_that_touch_one_thing_keep_their_order(
    committer: Committer, process: Process
) -> None:
    writes = [Note(name=str(n), touches=("a",)) for n in range(20)]
    writes[10] = Early(name="10", touches=("a",))
    batches = await gather(committer, *writes)
    assert len(set(map(id, batches))) == 20
    assert [event.name for event in process.fed] == [str(n) for n in range(20)]


async def test_a_write_does_not_overtake_one_that_waits_for_the_same_thing(
    committer: Committer, process: Process
) -> None:
    await gather(
        committer,
        Note(name="a", touches=("a",)),
        Note(name="ab", touches=("a", "b")),
        Note(name="b", touches=("b",)),
        Note(name="free"),
    )
    assert [event.name for event in process.fed] == ["a", "free", "ab", "b"]


async def test_a_write_that_waits_is_not_overtaken_by_what_found_no_room(
    committer: Committer, process: Process
) -> None:
    await gather(
        committer,
        Note(name="x1", touches=("x",)),
        Note(name="x2", touches=("x",)),
        *(Note() for _ in range(600)),
        Note(name="x3", touches=("x",)),
    )
    order = [event.name for event in process.fed if event.name != "note"]
    assert order == ["x1", "x2", "x3"]


async def test_a_refusal_is_for_the_one_that_is_refused(
    committer: Committer, watched: Watched
) -> None:
    answers = await asyncio.gather(
        *map(committer.write, [Note(), Refused(), Note()]), return_exceptions=True
    )
    assert [type(answer) for answer in answers] == [Batch, InvalidState, Batch]
    assert watched.transactions == 1


@pytest.mark.parametrize("places", [{0}, {6}, {3, 4}, set(range(7)), {1, 3, 5}])
async def test_a_broken_write_stands_alone_and_the_others_are_kept(
    committer: Committer, process: Process, places: set[int]
) -> None:
    writes = [Broken(name=str(n)) if n in places else Note(name=str(n)) for n in range(7)]
    answers = await asyncio.gather(*map(committer.write, writes), return_exceptions=True)
    for n, answer in enumerate(answers):
        if n in places:
            assert isinstance(answer, ZeroDivisionError)
            assert str(answer) == str(n)
        else:
            assert isinstance(answer, Batch)
    kept = [str(n) for n in range(7) if n not in places]
    assert [event.name for event in process.fed] == kept
    assert [event.position for event in process.fed] == list(range(1, len(kept) + 1))
    assert (await process.store.events.head()).position == len(kept)
    assert await process.rows("SELECT name FROM queues") == []


async def test_after_a_broken_write_everything_goes_on(committer: Committer) -> None:
    with pytest.raises(ZeroDivisionError):
        await committer.write(Broken())
    assert await committer.write(Note())


async def test_when_the_database_is_away_everyone_is_told(
    committer: Committer, watched: Watched, process: Process
) -> None:
    def fail() -> None:
        raise Unavailable("The disk is full.", maybe_applied=False)

    watched.fail = fail
    answers = await asyncio.gather(
        *map(committer.write, [Note(), Note(), Note()]), return_exceptions=True
    )
    assert {type(answer) for answer in answers} == {Unavailable}
    assert watched.transactions == 1
    assert process.fed == []
    watched.fail = lambda: None
    assert await committer.write(Note())


async def test_events_are_handed_on_before_anybody_is_answered(process: Process) -> None:
    answered: list[str] = []
    seen: list[tuple[list[str], list[str]]] = []

    def feed(events: Sequence[Event]) -> None:
        seen.append(([event.name for event in events], list(answered)))

    committer = Committer(process.database, feed)

    async def write(name: str) -> None:
        await committer.write(Note(name=name, touches=(name[0],)))
        answered.append(name)

    await asyncio.gather(*map(write, ["a1", "b1", "a2"]))
    assert seen == [(["a1", "b1"], []), (["a2"], ["a1", "b1"])]


async def test_what_tells_nothing_is_not_handed_on(process: Process) -> None:
    fed: list[Sequence[Event]] = []
    committer = Committer(process.database, fed.append)
    with pytest.raises(InvalidState):
        await committer.write(Refused())
    assert fed == []


async def test_a_writer_who_goes_away_disturbs_nobody(
    committer: Committer, process: Process
) -> None:
    tasks = [asyncio.create_task(committer.write(Note(name=str(n)))) for n in range(20)]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(answer) for answer in answers] == [asyncio.CancelledError, Batch] * 10
    await committer.settled()
    head = await process.store.events.head()
    assert [event.position for event in process.fed] == list(range(1, head.position + 1))
    assert {str(n) for n in range(1, 20, 2)} <= {event.name for event in process.fed}


async def test_closing_waits_for_what_is_under_way(place: Place) -> None:
    async with place.process() as one:
        tasks = [asyncio.create_task(enqueue(one)) for _ in range(50)]
        await asyncio.sleep(0)
    placed = await asyncio.gather(*tasks)
    async with place.process() as two:
        found = await two.store.instances.get_many([each.instance.id for each in placed])
        assert None not in found
