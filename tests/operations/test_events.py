import asyncio
import gc

import pytest

from service.domain import cursor
from service.domain.errors import CursorExpired, InvalidCursor, Unavailable
from service.domain.events import Event, EventType
from service.domain.interest import EVERYTHING, Interest
from service.emitter import Emitter
from service.operations.events import BATCH, Events
from tests.emitter.making import event, events, turns
from tests.operations.listlog import ListLog


class World:
    """A log, a ring of ten events, and who follows them."""

    def __init__(self, committed: int = 0, max_events: int = 10) -> None:
        self.log = ListLog()
        self.log.commit(events(range(committed)))
        self.emitter = Emitter(max_events=max_events, max_size=2000)
        self.emitter.start(committed)
        self.events = Events(self.log, self.emitter)

    def commit(self, *made: Event) -> None:
        self.emitter.feed(self.log.commit(made))

    def commit_elsewhere(self, *made: Event) -> None:
        self.log.commit(made)

    def follow(self, interest: Interest = EVERYTHING, after: str | None = None) -> "Reader":
        return Reader(self.events, interest, after)

    def cursor_at(self, position: int) -> str:
        return Events.cursor_of(self.log.events[position - 1]) if position else cursor.encode(0, 0)


class Reader:
    """Follows in a task of its own, and keeps the positions that it was given."""

    def __init__(self, reading: Events, interest: Interest, after: str | None) -> None:
        self.got: list[int] = []
        self.task = asyncio.create_task(self._read(reading, interest, after))

    async def _read(self, reading: Events, interest: Interest, after: str | None) -> None:
        async for each in reading.follow(interest, after):
            self.got.append(each.position)

    async def stop(self) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


class TestStart:
    async def test_without_a_cursor_it_starts_now(self) -> None:
        world = World(committed=5)
        reader = world.follow()
        await turns()
        world.commit(event(0), event(0))
        await turns()
        assert reader.got == [6, 7]
        await reader.stop()

    async def test_now_is_what_the_database_says(self) -> None:
        world = World(committed=5)
        world.commit_elsewhere(event(0), event(0))
        reader = world.follow()
        await turns()
        assert world.emitter.behind.is_set()
        world.emitter.feed(world.log.events)
        await turns()
        assert reader.got == []
        world.commit(event(0))
        await turns()
        assert reader.got == [8]
        await reader.stop()

    async def test_an_empty_cursor_starts_at_the_oldest_left(self) -> None:
        world = World(committed=5)
        world.log.pruned = 2
        reader = world.follow(after="")
        await turns(20)
        assert reader.got == [3, 4, 5]
        await reader.stop()

    async def test_pruning_that_overtakes_the_start_moves_it(self) -> None:
        world = World(committed=50)
        reader = world.follow(after="")
        await turns(1)
        world.log.pruned = 40
        await turns(20)
        assert reader.got == list(range(41, 51))
        await reader.stop()

    async def test_a_cursor_goes_on_after_it(self) -> None:
        world = World(committed=300)
        reader = world.follow(after=world.cursor_at(37))
        await turns(60)
        assert reader.got == list(range(38, 301))
        await reader.stop()

    @pytest.mark.parametrize("text", ["nonsense", cursor.encode_key(1, "a"), cursor.encode(99, 1)])
    async def test_a_cursor_that_is_none_is_refused_before_anything_else(self, text: str) -> None:
        world = World(committed=5)
        stream = world.events.follow(EVERYTHING, text)
        with pytest.raises(InvalidCursor):
            await anext(stream)
        assert world.emitter.listeners == 0

    async def test_a_pruned_cursor_is_refused_though_the_ring_still_has_it(self) -> None:
        world = World()
        world.commit(*events(range(8)))
        text = world.cursor_at(3)
        world.log.pruned = 5
        with pytest.raises(CursorExpired):
            await anext(world.events.follow(EVERYTHING, text))

    async def test_what_is_committed_while_the_start_is_looked_up_is_not_missed(self) -> None:
        world = World(committed=5)
        world.log._pace = lambda: 10
        reader = world.follow()
        await turns(3)
        world.commit(event(0), event(0))
        await turns(30)
        assert reader.got == [6, 7]
        await reader.stop()


class TestFollow:
    async def test_a_reader_that_falls_behind_reads_the_log_and_comes_back(self) -> None:
        world = World()
        stream = world.events.follow(EVERYTHING, None)
        first = asyncio.create_task(anext(stream))
        await turns()
        world.commit(event(0))
        got = [(await first).position]
        for _ in range(50):
            world.commit(*events(range(5)))
        world.commit(event(0))
        while got[-1] < 252:
            got.append((await anext(stream)).position)
        assert got == list(range(1, 253))
        reads = world.log.reads
        last = asyncio.create_task(anext(stream))
        await turns()
        world.commit(event(0))
        assert (await last).position == 253
        assert world.log.reads == reads
        await stream.aclose()

    async def test_a_parked_reader_never_needs_the_log(self) -> None:
        world = World()
        reader = world.follow(Interest(instance_id="rare"))
        await turns()
        for _ in range(100):
            world.commit(*events(range(9)))
            await asyncio.sleep(0)
        world.commit(event(0, "rare"))
        await turns()
        assert reader.got == [901]
        assert world.log.reads == 0
        await reader.stop()

    async def test_large_data_comes_whole_from_the_log(self) -> None:
        world = World()
        stream = world.events.follow(Interest(types=frozenset({EventType.COMPLETED})), None)
        reading = asyncio.create_task(anext(stream))
        await turns()
        world.commit(event(0), event(0, type=EventType.COMPLETED, data="x" * 5000), event(0))
        assert (await reading).data == "x" * 5000
        await stream.aclose()

    async def test_a_sparse_match_is_searched_for_through_the_whole_log(self) -> None:
        world = World()
        world.log._stride = 7
        world.commit(*events(range(100)), event(0, "rare"), *events(range(100)))
        reader = world.follow(Interest(instance_id="rare"), after="")
        await turns(200)
        assert reader.got == [101]
        await reader.stop()

    async def test_readers_that_fall_behind_together_share_each_read_of_the_log(self) -> None:
        world = World(committed=1000)
        readers = [world.follow(after="") for _ in range(50)]
        await turns(100)
        assert [reader.got for reader in readers] == [list(range(1, 1001))] * 50
        assert world.log.reads == 1000 // BATCH
        for reader in readers:
            await reader.stop()

    async def test_one_that_leaves_a_shared_read_takes_nobody_along(self) -> None:
        world = World(committed=50)
        world.log._pace = lambda: 10
        readers = [world.follow(after="") for _ in range(3)]
        await turns(15)
        assert world.log.reads == 1
        await readers[0].stop()
        await turns(60)
        assert readers[0].got == []
        assert readers[1].got == readers[2].got == list(range(1, 51))
        assert world.events._readings == {}
        for reader in readers:
            await reader.stop()

    async def test_readers_that_ask_the_same_are_given_the_same_batch(self) -> None:
        world = World()
        streams = [world.events.batches(Interest(name="order"), None) for _ in range(2)]
        readings = [asyncio.create_task(anext(stream)) for stream in streams]
        await turns()
        world.commit(*events(range(3)))
        one, two = await asyncio.gather(*readings)
        assert one is two
        assert [e.position for e in one] == [1, 2, 3]
        for stream in streams:
            await stream.aclose()

    async def test_a_reader_that_pruning_overtook_is_told(self) -> None:
        world = World(committed=300)
        stream = world.events.follow(EVERYTHING, "")
        for _ in range(BATCH):
            await anext(stream)
        world.log.pruned = 200
        with pytest.raises(CursorExpired):
            await anext(stream)

    async def test_a_database_that_is_away_ends_the_reader_with_its_reason(self) -> None:
        world = World(committed=300)
        reader = world.follow(after="")
        await turns(2)
        world.log.down = True
        with pytest.raises(Unavailable):
            await reader.task
        gc.collect()
        assert world.events._readings == {}


class TestEnding:
    async def test_leaving_while_parked_frees_everything(self) -> None:
        world = World()
        readers = [world.follow(Interest(instance_id=f"i{n % 7}")) for n in range(100)]
        await turns()
        assert world.emitter.listeners == 100
        assert world.emitter.parked == 100
        for reader in readers:
            await reader.stop()
        assert world.emitter.listeners == 0
        assert world.emitter.parked == 0
        assert world.emitter._waiters._index == {}

    async def test_closing_the_stream_between_events_frees_it(self) -> None:
        world = World(committed=5)
        stream = world.events.follow(EVERYTHING, "")
        await anext(stream)
        assert world.emitter.listeners == 1
        await stream.aclose()
        assert world.emitter.listeners == 0

    async def test_a_stream_never_read_holds_nothing(self) -> None:
        world = World()
        world.events.follow(EVERYTHING, None)
        assert world.emitter.listeners == 0

    async def test_closing_the_emitter_ends_every_stream(self) -> None:
        world = World(committed=300)
        readers = [world.follow(), world.follow(after=""), world.follow(Interest(name="none"))]
        await turns()
        world.emitter.close()
        await asyncio.wait_for(asyncio.gather(*(reader.task for reader in readers)), 5)
        assert world.emitter.listeners == 0
