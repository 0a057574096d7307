"""What other processes commit is heard of at once, and nothing that was missed stays missed."""

from collections.abc import AsyncGenerator, Sequence
from typing import Any

import pytest

from service.domain.events import Event
from service.store.enqueue import Enqueue
from service.store.postgres.transaction import CHANNEL
from tests.postgres.proxy import Proxy
from tests.scenarios.raw import rows
from tests.services import Place, Process, until
from tests.store.making import asked, enqueue, launch, running

EAR = f"query = 'LISTEN {CHANNEL}' AND datname = current_database()"
LISTENING = f"SELECT count(*) FROM pg_stat_activity WHERE {EAR}"  # noqa: S608 - words of our own
TERMINATE = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {EAR}"  # noqa: S608


class Ear:
    """Notes what a process hears."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.heard: list[tuple[int, Sequence[Event]]] = []
        self.stop = process.database.listen(self._hear)

    @property
    def position(self) -> int:
        """Return the last position that was heard, -1 if none was."""
        return self.heard[-1][0] if self.heard else -1

    @property
    def events(self) -> list[Event]:
        """Return all events that came along."""
        return [event for _, events in self.heard for event in events]

    async def reaches(self, position: int) -> None:
        """Wait until it has heard of a position; time goes on for its pauses."""

        def reached() -> bool:
            return self.position >= position

        await until(reached)

    def _hear(self, position: int, events: Sequence[Event]) -> None:
        self.heard.append((position, events))


@pytest.fixture
async def ear(process: Process, other: Process) -> Ear:
    """Hears, in `process`, what `other` commits; it has heard of the log's end."""
    ear = Ear(process)
    await ear.reaches(0)
    return ear


async def many(process: Process, count: int, **given: Any) -> None:
    """Enqueue so many in one transaction."""
    launches = [launch(**given) for _ in range(count)]
    await process.store.write(Enqueue(launches=launches, request=asked()))


async def test_events_come_along(ear: Ear, other: Process) -> None:
    await running(other)
    await ear.reaches(2)
    assert ear.heard == [(0, ()), (1, other.fed[:1]), (2, other.fed[1:])]
    assert ear.process.store.committed() == 2
    assert ear.process.fed == []


async def test_whoever_commits_hears_it_too(ear: Ear) -> None:
    await enqueue(ear.process)
    await ear.reaches(1)
    assert ear.events == ear.process.fed


@pytest.mark.parametrize("text", ["plain", 'quoted " and \\', "\u00e9\U0001f600", "a b"])
async def test_whatever_is_in_them(ear: Ear, other: Process, text: str) -> None:
    await enqueue(other, name=text, queue=text, action=text)
    await ear.reaches(1)
    assert ear.events == other.fed


@pytest.mark.parametrize(
    ("count", "name"), [(41, "n"), (1_000, "n"), (20, "n" * 200), (10, "\U0001f600" * 200)]
)
async def test_of_many_or_large_ones_only_the_position_is_told(
    ear: Ear, other: Process, count: int, name: str
) -> None:
    await many(other, count, name=name, queue=name)
    await ear.reaches(count)
    assert ear.heard == [(0, ()), (count, [])]


async def test_what_was_undone_is_not_told(ear: Ear, other: Process) -> None:
    with pytest.raises(ZeroDivisionError):
        await other.database.transaction(_told_and_undone)
    await enqueue(other)
    await ear.reaches(1)
    assert [position for position, _ in ear.heard] == [0, 1]


def _told_and_undone(tx: object) -> None:
    tx.append([("ENQUEUED", "i", "n", "q", "PENDING", None, None, None, None, None, 1)], 5)  # type: ignore[attr-defined]
    raise ZeroDivisionError


async def test_a_lost_link_is_made_again_and_what_was_missed_is_told(
    ear: Ear, other: Process, place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "service.store.postgres.listener")
    await enqueue(other)
    await ear.reaches(1)
    assert rows(place.url, TERMINATE) == [(True,)]
    await until(lambda: "Notifications are lost" in caplog.text)
    await enqueue(other)
    assert ear.position == 1
    await place.clock.advance(0.1)
    await ear.reaches(2)
    assert ear.heard[-1] == (2, ())
    await enqueue(other)
    await ear.reaches(3)
    assert ear.events == [other.fed[0], other.fed[2]]
    assert "heard again" in caplog.text


@pytest.fixture
async def far(behind: Place) -> AsyncGenerator[Process]:
    """A process behind the proxy."""
    async with behind.process() as process:
        yield process


async def test_it_tries_again_and_again_with_growing_pauses(
    far: Process, other: Process, place: Place, proxy: Proxy, caplog: pytest.LogCaptureFixture
) -> None:
    proxy.refuse()
    ear = Ear(far)
    for pause in (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0):
        await until(lambda: place.clock.sleepers)
        await place.clock.advance(pause - 0.001)
        assert place.clock.sleepers
        await place.clock.advance(0.001)
    await enqueue(other)
    proxy.accept()
    await until(lambda: place.clock.sleepers)
    await place.clock.advance(5)
    await ear.reaches(1)
    lost = [each for each in caplog.records if "Notifications are lost" in each.message]
    assert len(lost) == 1


async def test_it_hears_no_more_when_it_is_stopped(ear: Ear, other: Process, place: Place) -> None:
    assert ear.stop is not None
    assert rows(place.url, LISTENING) == [(1,)]
    ear.stop()
    await until(lambda: rows(place.url, LISTENING) == [(0,)])
    await enqueue(other)
    assert ear.position == 0


async def test_nothing_is_left_when_the_database_is_closed_while_it_connects(
    behind: Place, proxy: Proxy
) -> None:
    async with behind.process() as process:
        proxy.slow(0.2)
        ear = Ear(process)
        assert ear.position == -1
    proxy.slow(0)
    await until(lambda: proxy.links == 0)
