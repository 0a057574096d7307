from service.domain.lanes import Candidate, fairly, in_order


def test_higher_priority_then_due_earlier_then_older() -> None:
    candidates: list[Candidate] = [(0, 5, "c"), (0, 4, "d"), (9, 9, "e"), (0, 5, "b"), (-1, 0, "a")]
    assert in_order(candidates, 10) == ["e", "d", "b", "c", "a"]
    assert in_order(candidates, 2) == ["e", "d"]
    assert in_order(candidates, 0) == []


def test_each_queue_gets_one_place_before_any_gets_two() -> None:
    dealt, last = fairly({"a": ["a1", "a2", "a3"], "b": ["b1"], "c": ["c1", "c2"]}, 4, "")
    assert dealt == {"a": ["a1", "a2"], "b": ["b1"], "c": ["c1"]}
    assert last == "a"


def test_the_turn_begins_after_the_queue_that_was_served_last() -> None:
    chosen = {"a": ["a1"], "b": ["b1"], "c": ["c1"]}
    assert fairly(chosen, 2, "a") == ({"b": ["b1"], "c": ["c1"]}, "c")
    assert fairly(chosen, 2, "c") == ({"a": ["a1"], "b": ["b1"]}, "b")
    assert fairly(chosen, 2, "between b and c") == ({"c": ["c1"], "a": ["a1"]}, "a")


def test_places_that_nobody_needs_stay_free() -> None:
    dealt, last = fairly({"a": ["a1"], "b": []}, 10, "")
    assert (dealt, last) == ({"a": ["a1"]}, "a")


def test_without_a_place_the_turn_stays_where_it_is() -> None:
    assert fairly({"a": ["a1"]}, 0, "b") == ({}, "b")
    assert fairly({}, 5, "b") == ({}, "b")
