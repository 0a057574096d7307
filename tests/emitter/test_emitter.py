import asyncio
import logging

import pytest

from service.domain.events import Event, EventType
from service.domain.interest import EVERYTHING, Interest
from service.emitter import Closed, Emitter
from tests.emitter.making import event, events, turns


def started(head: int = 0, max_events: int = 100) -> Emitter:
    emitter = Emitter(max_events=max_events)
    emitter.start(head)
    return emitter


def positions(emitter: Emitter, after: int = 0) -> list[int]:
    found = emitter.after(after, EVERYTHING, 1000)
    assert found is not None
    return [e.position for e in found[0]]


class TestFeed:
    async def test_events_go_in_after_the_head(self) -> None:
        emitter = started(10)
        emitter.feed(events([11, 12]))
        assert (emitter.oldest, emitter.head) == (11, 12)
        assert positions(emitter, 10) == [11, 12]

    async def test_what_is_here_already_is_dropped(self) -> None:
        emitter = started()
        emitter.feed(events([1, 2, 3]))
        emitter.feed(events([2, 3, 4]))
        emitter.feed(events([1, 2]))
        assert positions(emitter) == [1, 2, 3, 4]
        assert not emitter.behind.is_set()

    async def test_after_a_gap_nothing_is_taken_until_it_is_filled(self) -> None:
        emitter = started()
        emitter.feed(events([4, 5]))
        assert positions(emitter) == []
        assert emitter.behind.is_set()
        assert emitter.wanted == 5
        emitter.feed(events([7, 8]))
        assert emitter.wanted == 8
        emitter.feed(events([1, 2, 3, 4, 5]))
        assert emitter.behind.is_set()
        emitter.feed(events([6, 7, 8, 9]))
        assert not emitter.behind.is_set()
        assert positions(emitter) == [1, 2, 3, 4, 5, 6, 7, 8, 9]

    async def test_a_gap_inside_a_batch_ends_the_taking(self) -> None:
        emitter = started()
        emitter.feed(events([1, 2, 4, 5]))
        assert positions(emitter) == [1, 2]
        assert emitter.behind.is_set()
        assert emitter.wanted == 5

    async def test_no_events_are_nothing(self) -> None:
        emitter = started()
        emitter.feed([])
        assert emitter.head == 0

    async def test_listeners_hear_each_batch_once_as_it_was_taken(self) -> None:
        emitter = started()
        heard: list[list[int]] = []
        stop = emitter.on_events(lambda batch: heard.append([e.position for e in batch]))
        emitter.feed(events([1, 2]))
        emitter.feed(events([1, 2]))
        emitter.feed(events([2, 3]))
        emitter.feed(events([9]))
        stop()
        stop()
        emitter.feed(events([4]))
        assert heard == [[1, 2], [3]]

    async def test_a_listener_hears_large_data_whole(self) -> None:
        emitter = started()
        heard: list[Event] = []
        emitter.on_events(heard.extend)
        emitter.feed([event(1, data="x" * 100_000)])
        assert heard[0].data == "x" * 100_000

    async def test_a_listener_that_fails_spoils_nothing(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        emitter = started()
        heard: list[int] = []

        def fail(batch: object) -> None:
            raise RuntimeError("no")

        emitter.on_events(fail)
        emitter.on_events(lambda batch: heard.append(len(batch)))
        with caplog.at_level(logging.ERROR):
            emitter.feed(events([1, 2]))
        assert heard == [2]
        assert positions(emitter) == [1, 2]
        assert "listener" in caplog.text


class TestPark:
    async def test_a_reader_wakes_just_before_the_first_match(self) -> None:
        emitter = started()
        reader = asyncio.create_task(emitter.park(Interest(instance_id="b"), 0))
        await turns()
        emitter.feed([event(1, "a"), event(2, "a"), event(3, "b"), event(4, "b")])
        assert await reader == 2
        assert emitter.parked == 0

    async def test_a_match_that_is_here_is_given_at_once(self) -> None:
        emitter = started()
        emitter.feed([event(1, "a"), event(2, "b"), event(3, "a"), event(4, "b")])
        assert await emitter.park(Interest(instance_id="b"), 0) == 1
        assert await emitter.park(Interest(instance_id="b"), 2) == 3

    async def test_who_fell_out_of_the_ring_is_sent_to_the_log(self) -> None:
        emitter = started(max_events=10)
        emitter.feed(events(range(1, 31)))
        assert await emitter.park(Interest(instance_id="b"), 19) == 19
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(emitter.park(Interest(instance_id="b"), 20), 0.01)

    async def test_a_parked_reader_stands_at_the_head(self) -> None:
        emitter = started(max_events=50)
        reader = asyncio.create_task(emitter.park(Interest(instance_id="rare"), 0))
        await turns()
        for start in range(1, 10_001, 100):
            emitter.feed(events(range(start, start + 100)))
            await asyncio.sleep(0)
        assert not reader.done()
        emitter.feed([event(10_001, "rare")])
        assert await reader == 10_000
        assert emitter.after(10_000, Interest(instance_id="rare"), 5) is not None

    @pytest.mark.parametrize(
        "interest",
        [
            EVERYTHING,
            Interest(instance_id="i"),
            Interest(name="n"),
            Interest(queue="q"),
            Interest(types=frozenset({EventType.FAILED})),
            Interest(instance_id="i", name="n"),
            Interest(name="n", queue="q"),
            Interest(instance_id="i", types=frozenset({EventType.FAILED})),
            Interest(name="n", types=frozenset({EventType.FAILED})),
        ],
    )
    async def test_whatever_it_waits_for_it_is_woken_by_that(self, interest: Interest) -> None:
        emitter = started()
        reader = asyncio.create_task(emitter.park(interest, 0))
        await turns()
        match = event(2, "i", "n", "q", EventType.FAILED)
        if interest != EVERYTHING:
            emitter.feed(events([1]))
            await turns()
            assert not reader.done()
            emitter.feed([match])
            assert await reader == 1
        else:
            emitter.feed([event(1), match])
            assert await reader == 0

    async def test_a_reader_ahead_of_the_ring_waits_for_what_comes_after_it(self) -> None:
        emitter = started(10)
        reader = asyncio.create_task(emitter.park(EVERYTHING, 13))
        await turns()
        assert emitter.behind.is_set()
        emitter.feed(events([11, 12]))
        emitter.feed(events([13]))
        await turns()
        assert not reader.done()
        emitter.feed(events([14]))
        assert await reader == 13

    async def test_readers_of_one_thing_at_different_places_are_each_woken_right(self) -> None:
        emitter = started(10)
        readers = [asyncio.create_task(emitter.park(EVERYTHING, p)) for p in (10, 12, 12, 14)]
        await turns()
        emitter.feed(events([11, 12, 13]))
        await turns()
        assert [r.result() if r.done() else None for r in readers] == [10, 12, 12, None]
        emitter.feed(events([14, 15]))
        assert await readers[3] == 14

    async def test_a_thousand_readers_of_one_stream_are_woken_by_one_event(self) -> None:
        emitter = started()
        readers = [asyncio.create_task(emitter.park(EVERYTHING, 0)) for _ in range(1000)]
        await turns()
        assert emitter.parked == 1000
        emitter.feed(events([1, 2]))
        assert await asyncio.gather(*readers) == [0] * 1000
        assert_nobody_waits(emitter)

    async def test_an_event_looks_only_at_those_whom_it_concerns(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        emitter = started(max_events=2000)
        readers = [
            asyncio.create_task(emitter.park(Interest(instance_id=f"i{n}"), 0)) for n in range(1000)
        ]
        await turns()
        looks = 0
        matches = Interest.matches

        def counted(self: Interest, each: Event) -> bool:
            nonlocal looks
            looks += 1
            return matches(self, each)

        monkeypatch.setattr(Interest, "matches", counted)
        emitter.feed([event(n + 1, f"i{n}") for n in range(1000)])
        assert looks == 1000
        assert await asyncio.gather(*readers) == list(range(1000))

    async def test_a_new_start_wakes_readers_where_they_stood(self) -> None:
        emitter = started()
        emitter.feed(events([1, 2, 3]))
        readers = [asyncio.create_task(emitter.park(EVERYTHING, p)) for p in (3, 5)]
        await turns()
        emitter.start(100)
        assert await asyncio.gather(*readers) == [3, 5]
        assert (emitter.oldest, emitter.head) == (101, 100)
        assert not emitter.behind.is_set()


class TestLeaving:
    async def test_one_who_leaves_leaves_nothing_behind(self) -> None:
        emitter = started()
        interests = [EVERYTHING, Interest(instance_id="a"), Interest(name="b"), Interest(queue="c")]
        readers = [
            asyncio.create_task(emitter.park(interest, position))
            for interest in interests
            for position in (0, 7)
        ]
        await turns()
        assert emitter.parked == 8
        for reader in readers:
            reader.cancel()
        await asyncio.gather(*readers, return_exceptions=True)
        assert_nobody_waits(emitter)

    async def test_one_who_leaves_takes_nobody_along(self) -> None:
        emitter = started()
        readers = [asyncio.create_task(emitter.park(EVERYTHING, 0)) for _ in range(3)]
        await turns()
        readers[1].cancel()
        await turns()
        assert emitter.parked == 2
        emitter.feed(events([1]))
        assert await readers[0] == 0
        assert await readers[2] == 0
        assert readers[1].cancelled()
        assert_nobody_waits(emitter)

    async def test_one_who_leaves_as_the_event_comes_disturbs_nobody(self) -> None:
        emitter = started()
        readers = [asyncio.create_task(emitter.park(EVERYTHING, 0)) for _ in range(3)]
        await turns()
        readers[0].cancel()
        emitter.feed(events([1]))
        readers[1].cancel()
        await asyncio.gather(*readers, return_exceptions=True)
        assert [reader.cancelled() for reader in readers] == [True, True, False]
        assert_nobody_waits(emitter)

    async def test_one_who_comes_while_others_go_is_not_lost(self) -> None:
        emitter = started()
        first = asyncio.create_task(emitter.park(EVERYTHING, 0))
        await turns()
        emitter.feed(events([1]))
        second = asyncio.create_task(emitter.park(EVERYTHING, 1))
        await turns()
        assert await first == 0
        assert emitter.parked == 1
        emitter.feed(events([2]))
        assert await second == 1
        assert_nobody_waits(emitter)

    async def test_closing_ends_everybody(self) -> None:
        emitter = started()
        readers = [asyncio.create_task(emitter.park(EVERYTHING, p)) for p in (0, 0, 9)]
        await turns()
        emitter.close()
        ends = await asyncio.gather(*readers, return_exceptions=True)
        assert [type(end) for end in ends] == [Closed] * 3
        with pytest.raises(Closed):
            await emitter.park(EVERYTHING, 0)
        assert_nobody_waits(emitter)

    async def test_who_listens_is_counted(self) -> None:
        emitter = started()
        with emitter.listening(), emitter.listening():
            assert emitter.listeners == 2
        assert emitter.listeners == 0


def assert_nobody_waits(emitter: Emitter) -> None:
    assert emitter.parked == 0
    assert emitter._waiters._groups == {}
    assert emitter._waiters._index == {}
