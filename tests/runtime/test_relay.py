import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import pytest

from service.domain.errors import CursorExpired
from service.domain.interest import EVERYTHING
from service.emitter import Emitter
from service.operations.events import Events
from service.runtime.relay import BATCH, Relay
from tests.clock import FakeClock
from tests.emitter.making import events
from tests.operations.listlog import ListLog


class World:
    """A ring that stands at the log's head, and another process that writes on."""

    def __init__(self, committed: int = 0, max_events: int = 5000) -> None:
        self.clock = FakeClock()
        self.log = ListLog()
        self.log.commit(events(range(committed)))
        self.emitter = Emitter(max_events=max_events)
        self.emitter.start(committed)
        self.known: Callable[[], int] = lambda: len(self.log.events)

    @asynccontextmanager
    async def relaying(self) -> AsyncGenerator[None]:
        relay = Relay(self.emitter, self.log, self.clock, lambda: self.known())
        task = asyncio.create_task(relay.run())
        await self.clock.advance(0)
        try:
            yield
        finally:
            assert not task.done(), task
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            assert task.cancelled()

    def commit_elsewhere(self, count: int) -> None:
        self.log.commit(events(range(count)))


async def test_what_another_process_wrote_is_here_within_a_poll() -> None:
    world = World(committed=3)
    async with world.relaying():
        world.commit_elsewhere(2)
        await world.clock.advance(0.05)
        assert world.emitter.head == 5
        assert not world.emitter.behind.is_set()


async def test_a_gap_is_filled_at_once() -> None:
    world = World(committed=3)
    world.known = lambda: 0
    async with world.relaying():
        world.commit_elsewhere(2)
        world.emitter.feed(world.log.commit(events(range(2))))
        assert world.emitter.head == 3
        await world.clock.advance(0)
        assert world.emitter.head == 7


async def test_each_tick_the_log_is_read_though_nothing_told_of_it() -> None:
    world = World(committed=3)
    world.known = lambda: 0
    async with world.relaying():
        world.commit_elsewhere(2)
        await world.clock.advance(0.9)
        assert world.emitter.head == 3
        await world.clock.advance(0.2)
        assert world.emitter.head == 5


async def test_many_events_come_in_several_reads_without_waiting() -> None:
    world = World()
    world.known = lambda: 0
    async with world.relaying():
        world.commit_elsewhere(3 * BATCH + 7)
        await world.clock.advance(1.01)
        assert world.emitter.head == 3 * BATCH + 7
        assert world.log.reads == 4


async def test_an_idle_relay_reads_no_events() -> None:
    world = World(committed=3)
    async with world.relaying():
        await world.clock.advance(10.5)
        assert world.log.reads == 0


async def test_an_outage_is_logged_once_and_outlived(caplog: pytest.LogCaptureFixture) -> None:
    world = World()
    with caplog.at_level(logging.INFO):
        async with world.relaying():
            world.log.down = True
            world.commit_elsewhere(2)
            await world.clock.advance(60)
            assert len(caplog.records) == 1
            assert world.emitter.head == 0
            world.log.down = False
            await world.clock.advance(5)
            assert world.emitter.head == 2
            assert len(caplog.records) == 2


async def test_a_call_that_should_cost_nothing_may_fail_too() -> None:
    world = World()

    def fail() -> int:
        raise OSError("the file is away")

    world.known = fail
    async with world.relaying():
        world.commit_elsewhere(2)
        await world.clock.advance(1.1)
        assert world.emitter.head == 2


async def test_a_position_that_the_log_does_not_have_makes_no_busy_loop() -> None:
    world = World(committed=3)
    world.known = lambda: 1000
    async with world.relaying():
        await world.clock.advance(1)
        assert world.log.reads <= 21
        world.commit_elsewhere(997)
        await world.clock.advance(0.2)
        assert world.emitter.head == 1000


async def test_what_was_pruned_before_it_was_read_is_passed_over_and_said() -> None:
    world = World(committed=3)
    stream = Events(world.log, world.emitter).follow(EVERYTHING, None)
    reading = asyncio.create_task(anext(stream))
    async with world.relaying():
        world.commit_elsewhere(20)
        world.log.pruned = 15
        await world.clock.advance(0.2)
        assert (world.emitter.oldest, world.emitter.head) == (16, 23)
        with pytest.raises(CursorExpired):
            await reading
