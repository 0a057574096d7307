import pytest

from service.domain.events import Event, EventType
from service.domain.instance import Status
from service.domain.interest import EVERYTHING, Interest

EVENT = Event(
    type=EventType.STARTED,
    at=1,
    instance_id="i1",
    name="order",
    queue="orders",
    status=Status.RUNNING,
    position=7,
)


@pytest.mark.parametrize(
    "interest",
    [
        EVERYTHING,
        Interest(instance_id="i1"),
        Interest(name="order"),
        Interest(queue="orders"),
        Interest(types=frozenset({EventType.STARTED, EventType.FAILED})),
        Interest(
            instance_id="i1", name="order", queue="orders", types=frozenset({EventType.STARTED})
        ),
    ],
)
def test_an_event_that_has_all_that_is_given_matches(interest: Interest) -> None:
    assert interest.matches(EVENT)


@pytest.mark.parametrize(
    "interest",
    [
        Interest(instance_id="i2"),
        Interest(name="orders"),
        Interest(queue="order"),
        Interest(name=""),
        Interest(types=frozenset({EventType.FAILED})),
        Interest(types=frozenset()),
        Interest(instance_id="i1", name="order", queue="other"),
        Interest(instance_id="i1", types=frozenset({EventType.COMPLETED})),
    ],
)
def test_one_thing_that_differs_is_enough_not_to_match(interest: Interest) -> None:
    assert not interest.matches(EVENT)


def test_equal_interests_are_one_key() -> None:
    one = Interest(name="order", types=frozenset({EventType.STARTED, EventType.FAILED}))
    two = Interest(name="order", types=frozenset({EventType.FAILED, EventType.STARTED}))
    assert {one: "found"}[two] == "found"
    assert one != Interest(name="order")
