"""Whatever happens to the ring, the log and the readers, each gets each match once, in order."""

import asyncio
import random
from contextlib import aclosing

from hypothesis import given, settings
from hypothesis import strategies as st

from service.domain.cursor import LogCursor
from service.domain.events import Event, EventType
from service.domain.interest import Interest
from service.emitter import Emitter
from service.operations.events import Events
from service.runtime.relay import Relay
from tests.clock import FakeClock
from tests.emitter.making import event, turns
from tests.operations.listlog import ListLog
from tests.scale import scaled

TYPES = [EventType.STARTED, EventType.CHECKPOINT, EventType.COMPLETED]
LARGE = "x" * 2000


@settings(max_examples=scaled(30, 500))
@given(st.integers(0, 2**32))
def test_each_reader_gets_each_match_once_and_in_order(seed: int) -> None:
    asyncio.run(Chaos(seed).run())


class Chaos:
    """Two processes that write one log, a ring in one of them, and readers that come and go."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.clock = FakeClock()
        self.log = ListLog(
            lambda: self.chance.randint(0, 4), stride=self.chance.choice([5, 50, 10_000])
        )
        self.emitter = Emitter(max_events=self.chance.randint(1, 30), max_size=1000)
        self.events = Events(self.log, self.emitter)
        knows = self.chance.random() < 0.7
        self.relay = Relay(
            self.emitter, self.log, self.clock, lambda: len(self.log.events) if knows else 0
        )
        self.held: list[list[Event]] = []
        self.going = True

    async def run(self) -> None:
        self.log.commit(self._made())
        self.emitter.start(len(self.log.events))
        relay = asyncio.create_task(self.relay.run())
        readers = [Reader(self) for _ in range(8)]
        reading = asyncio.gather(*(reader.run() for reader in readers))
        for _ in range(150):
            await self._happen()
        self.going = False
        await self.clock.advance(2)
        await self._settle(readers)
        self.emitter.close()
        await asyncio.wait_for(reading, 10)
        for reader in readers:
            assert reader.got == reader.wanted()
        assert self.emitter.parked == self.emitter.listeners == 0
        relay.cancel()
        await asyncio.gather(relay, return_exceptions=True)

    async def _settle(self, readers: "list[Reader]") -> None:
        for _ in range(200):
            await turns(100)
            if all(len(reader.got) >= len(reader.wanted()) for reader in readers):
                break
        await turns(100)

    async def _happen(self) -> None:
        match self.chance.randint(0, 5):
            case 0 | 1:
                self.emitter.feed(self.log.commit(self._made()))
            case 2:
                self.log.commit(self._made())
            case 3:
                self.held.append(self.log.commit(self._made()))
            case 4 if self.held:
                self.emitter.feed(self.held.pop(0))
            case _:
                await self.clock.advance(self.chance.choice([0.01, 0.05, 0.05, 0.3]))
        await turns(self.chance.randint(0, 3))

    def _made(self) -> list[Event]:
        return [
            event(
                0,
                f"i{self.chance.randint(0, 4)}",
                self.chance.choice(["a", "b"]),
                type=self.chance.choice(TYPES),
                data=self.chance.choice([None] * 9 + [LARGE]),
            )
            for _ in range(self.chance.choice([1, 1, 3, 20]))
        ]


class NotedStart(ListLog):
    """A view of a log that remembers which head it told."""

    def __init__(self, log: ListLog) -> None:
        super().__init__(log._pace, log._stride)
        self.events = log.events
        self.told = 0

    async def head(self) -> LogCursor:
        found = await super().head()
        self.told = found.position
        return found


class Reader:
    """Reads in sessions; each goes on from the cursor of the last event that was got."""

    def __init__(self, world: Chaos) -> None:
        chance = world.chance
        self.got: list[int] = []
        self._world = world
        self._chance = chance
        self._interest = Interest(
            instance_id=chance.choice([None, None, "i1", "i2"]),
            name=chance.choice([None, "a"]),
            types=chance.choice([None, frozenset(chance.sample(TYPES, 2))]),
        )
        self._noted = NotedStart(world.log)
        from_now = chance.random() < 0.5
        self._events = Events(self._noted, world.emitter) if from_now else world.events
        self._cursor = None if from_now else ""

    def wanted(self) -> list[int]:
        written = self._world.log.events[self._noted.told :]
        return [each.position for each in written if self._interest.matches(each)]

    async def run(self) -> None:
        while not self._world.emitter.closed:
            session = asyncio.create_task(self._session(self._chance.randint(1, 50)))
            patience = self._chance.randint(1, 500)
            while self._world.going and patience and not session.done():
                await asyncio.sleep(0)
                patience -= 1
            if self._world.going:
                session.cancel()
                await asyncio.gather(session, return_exceptions=True)
                if not session.cancelled():
                    session.result()
            else:
                await session

    async def _session(self, quota: int) -> None:
        async with aclosing(self._events.follow(self._interest, self._cursor)) as events:
            async for each in events:
                assert each.data in (None, LARGE)
                self.got.append(each.position)
                self._cursor = Events.cursor_of(each)
                quota -= 1
                if quota == 0:
                    return
                await turns(self._chance.choice([0, 0, 0, 5]))
