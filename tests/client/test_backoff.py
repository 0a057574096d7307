from datetime import timedelta

from service.client.backoff import LONGEST_SECONDS, Backoff
from tests.clock import FakeClock


class Sleeper(FakeClock):
    """Sleeps in no time, and remembers how long."""

    def __init__(self) -> None:
        super().__init__()
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await self.advance(seconds)


async def test_waits_twice_as_long_each_time_up_to_a_bound() -> None:
    clock = Sleeper()
    backoff = Backoff(clock, timedelta(hours=1), chance=lambda: 1.0)
    for _ in range(9):
        assert await backoff.wait()
    assert clock.slept[:3] == [0.1, 0.2, 0.4]
    assert clock.slept[-1] == LONGEST_SECONDS


async def test_chance_takes_up_to_a_half_off() -> None:
    clock = Sleeper()
    assert await Backoff(clock, timedelta(hours=1), chance=lambda: 0.0).wait()
    assert clock.slept == [0.05]


async def test_gives_up_at_once_when_patience_would_be_spent() -> None:
    clock = Sleeper()
    backoff = Backoff(clock, timedelta(seconds=1), chance=lambda: 1.0)
    while await backoff.wait():
        pass
    assert sum(clock.slept) <= 1


async def test_begins_anew_after_something_worked() -> None:
    clock = Sleeper()
    backoff = Backoff(clock, timedelta(seconds=1), chance=lambda: 1.0)
    while await backoff.wait():
        pass
    backoff.reset()
    assert await backoff.wait()
    assert clock.slept[-1] == 0.1
