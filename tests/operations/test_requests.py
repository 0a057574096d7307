from itertools import count

import pytest

from service.domain.errors import InvalidParams
from service.operations.requests import identify


def ids() -> str:
    return f"made-{next(NUMBERS)}"


NUMBERS = count()


def test_an_id_is_made_where_the_caller_gave_none() -> None:
    first, second = identify(ids, None, "cancel", ["i"]), identify(ids, None, "cancel", ["i"])
    assert first.id != second.id
    assert not first.kept
    assert first.touches == ()


def test_an_id_that_the_caller_chose_is_kept() -> None:
    request = identify(ids, "mine", "cancel", ["i"])
    assert (request.id, request.kept) == ("mine", True)
    assert request.touches == (("request", "mine"),)


def test_the_same_arguments_are_the_same_request_and_others_are_not() -> None:
    request = identify(ids, "r", "cancel", ["i", None, {"a": 1, "b": 2}])
    assert request == identify(ids, "r", "cancel", ["i", None, {"b": 2, "a": 1}])
    for what, arguments in (("retry", ["i"]), ("cancel", ["j"]), ("cancel", [])):
        assert request.fingerprint != identify(ids, "r", what, arguments).fingerprint


@pytest.mark.parametrize("given", ["", " ", "a\0", "\ud800", "r" * 201])
def test_what_can_be_no_id_is_refused(given: str) -> None:
    with pytest.raises(InvalidParams) as caught:
        identify(ids, given, "cancel", [])
    assert [fault.path for fault in caught.value.faults] == [("requestID",)]
