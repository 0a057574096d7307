"""Where nobody can be heard, the log is asked for its end."""

from collections.abc import AsyncGenerator, Sequence

import pytest

from service.domain.errors import Unavailable
from service.domain.events import Event
from service.store.postgres.poller import Poller
from tests.clock import FakeClock

EVERY = 0.08


class Log:
    """Its end is where the test put it, if it can be asked."""

    def __init__(self) -> None:
        self.end = 0
        self.gone = False
        self.asked = 0
        self.heard: list[int] = []

    async def head(self) -> int:
        self.asked += 1
        if self.gone:
            raise Unavailable("It is gone.", maybe_applied=False)
        return self.end

    def hear(self, position: int, events: Sequence[Event]) -> None:
        assert events == ()
        self.heard.append(position)


@pytest.fixture
def log() -> Log:
    return Log()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def poller(log: Log, clock: FakeClock) -> AsyncGenerator[Poller]:
    poller = Poller(clock, log.hear, log.head, EVERY)
    await clock.advance(0)
    yield poller
    await poller.close()


@pytest.mark.usefixtures("poller")
async def test_it_tells_when_the_end_has_moved(log: Log, clock: FakeClock) -> None:
    assert log.heard == [0]
    await clock.advance(3 * EVERY)
    assert (log.heard, log.asked) == ([0], 4)
    log.end = 5
    await clock.advance(EVERY)
    assert log.heard == [0, 5]


@pytest.mark.usefixtures("poller")
async def test_a_restored_log_that_is_shorter_is_told_too(log: Log, clock: FakeClock) -> None:
    log.end = 5
    await clock.advance(EVERY)
    log.end = 3
    await clock.advance(EVERY)
    assert log.heard == [0, 5, 3]


@pytest.mark.usefixtures("poller")
async def test_it_goes_on_when_the_log_can_be_asked_again(log: Log, clock: FakeClock) -> None:
    log.end, log.gone = 5, True
    await clock.advance(3 * EVERY)
    assert log.heard == [0]
    log.gone = False
    await clock.advance(EVERY)
    assert log.heard == [0, 5]


async def test_it_asks_no_more_when_it_is_stopped(
    poller: Poller, log: Log, clock: FakeClock
) -> None:
    poller.stop()
    asked = log.asked
    await clock.advance(3 * EVERY)
    assert log.asked == asked
