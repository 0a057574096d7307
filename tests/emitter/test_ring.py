import random

import pytest

from service.domain.events import EventType
from service.domain.interest import EVERYTHING, Interest
from service.emitter.ring import Ring
from tests.emitter.making import event, events

MEGABYTE = 1024 * 1024


def ring(max_events: int = 100, max_bytes: int = MEGABYTE, max_size: int = 16 * 1024) -> Ring:
    return Ring(max_events, max_bytes, max_size)


def filled(count: int, of: Ring | None = None) -> Ring:
    made = of or ring()
    for each in events(range(made.head + 1, made.head + 1 + count)):
        made.append(each)
    return made


def test_an_empty_ring_has_nothing_to_give_at_its_head() -> None:
    empty = ring()
    empty.reset(41)
    assert (empty.head, empty.oldest) == (41, 42)
    assert empty.after(41, EVERYTHING, 10) == ((), 41)
    assert empty.after(50, EVERYTHING, 10) == ((), 50)
    assert empty.after(40, EVERYTHING, 10) is None


def test_it_gives_what_comes_after_a_position() -> None:
    some = filled(5)
    found = some.after(2, EVERYTHING, 10)
    assert found is not None
    assert [e.position for e in found[0]] == [3, 4, 5]
    assert found[1] == 5


def test_a_limit_leaves_the_rest_for_the_next_time() -> None:
    some = filled(5)
    first = some.after(0, EVERYTHING, 3)
    assert first is not None
    assert [e.position for e in first[0]] == [1, 2, 3]
    assert first[1] == 3


def test_it_is_bounded_by_count() -> None:
    some = filled(250, ring(max_events=100))
    assert (some.oldest, some.head) == (151, 250)
    assert some.after(149, EVERYTHING, 10) is None
    assert some.after(150, EVERYTHING, 1) == ((event(151),), 151)


def test_it_is_bounded_by_bytes() -> None:
    size = event(1).size
    some = filled(50, ring(max_bytes=10 * size))
    assert (some.oldest, some.head) == (41, 50)


def test_a_ring_too_small_for_one_event_keeps_none() -> None:
    some = filled(3, ring(max_bytes=10))
    assert (some.oldest, some.head) == (4, 3)
    assert some.after(2, EVERYTHING, 10) is None
    assert some.after(3, EVERYTHING, 10) == ((), 3)


def test_what_was_searched_in_vain_is_behind_the_reader() -> None:
    some = filled(9)
    assert some.after(3, Interest(name="other"), 10) == ((), 9)


def test_those_who_ask_the_same_get_the_same_answer() -> None:
    some = filled(9)
    one = some.after(3, Interest(name="order"), 10)
    assert some.after(3, Interest(name="order"), 10) is one
    some.append(event(10))
    later = some.after(3, Interest(name="order"), 10)
    assert later is not None
    assert later[1] == 10


def test_large_data_is_left_to_the_log() -> None:
    some = ring(max_size=2000)
    for each in (event(1), event(2, data="x" * 5000), event(3)):
        some.append(each)
    assert some.after(0, EVERYTHING, 10) == ((event(1),), 1)
    assert some.after(1, EVERYTHING, 10) is None
    assert some.after(2, EVERYTHING, 10) == ((event(3),), 3)


def test_large_data_that_nobody_asks_for_is_passed_over() -> None:
    some = ring(max_size=2000)
    for each in (event(1), event(2, "big", data="x" * 5000), event(3)):
        some.append(each)
    assert some.after(0, Interest(instance_id="i0"), 10) == ((event(1), event(3)), 3)
    assert some.after(0, Interest(instance_id="big"), 10) == ((), 1)
    assert some.after(1, Interest(instance_id="big"), 10) is None


def test_large_data_takes_no_room() -> None:
    some = ring(max_bytes=10_000, max_size=2000)
    for position in range(1, 11):
        some.append(event(position, data="x" * 100_000))
    assert some.oldest == 1


def test_a_reset_forgets_everything() -> None:
    some = filled(5)
    some.reset(100)
    assert (some.oldest, some.head) == (101, 100)
    assert some.after(5, EVERYTHING, 10) is None
    assert some.first(100, Interest(instance_id="i0")) is None
    some.append(event(101))
    assert some.after(100, Interest(instance_id="i0"), 10) == ((event(101),), 101)


@pytest.mark.parametrize("seed", range(20))
def test_every_question_is_answered_as_a_walk_over_the_whole_log_would(seed: int) -> None:
    chance = random.Random(seed)
    small = ring(max_events=chance.randint(1, 40), max_size=1000)
    everything = [
        event(
            position,
            instance_id=f"i{chance.randint(0, 5)}",
            name=chance.choice(["a", "b"]),
            type=chance.choice(list(EventType)),
            data=chance.choice([None, None, None, "x" * 900]),
        )
        for position in range(1, 120)
    ]
    for each in everything:
        small.append(each)
        interest = Interest(
            instance_id=chance.choice([None, "i0", "i1", "i9"]),
            name=chance.choice([None, "a"]),
            types=chance.choice([None, frozenset(chance.sample(list(EventType), 5))]),
        )
        start, limit = chance.randint(0, each.position), chance.randint(1, 10)
        wanted = [e for e in everything[start : each.position] if interest.matches(e)]
        found = small.after(start, interest, limit)
        if found is None:
            fell_out = start < small.oldest - 1
            assert fell_out or wanted[0].size > 1000
            continue
        given, upto = found
        assert list(given) == wanted[: len(given)]
        assert all(e.size <= 1000 for e in given)
        assert len(given) <= limit
        rest = [e for e in wanted if e.position > upto]
        assert len(given) + len(rest) == len(wanted)
        assert not rest or len(given) == limit or rest[0].size > 1000
