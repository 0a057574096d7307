from collections.abc import Callable

import psycopg
import pytest

from service.store.postgres.faults import Fault, judge
from service.store.postgres.wire import Wire

Raise = Callable[[str], Fault | None]


@pytest.fixture
def raised(wire: Wire) -> Raise:
    """Judges what the server raises with a code."""

    def judged(code: str) -> Fault | None:
        with pytest.raises(psycopg.Error) as caught:
            wire.script(f"DO $$ BEGIN RAISE EXCEPTION 'secret' USING ERRCODE = '{code}'; END $$")
        assert caught.value.sqlstate == code
        return judge(caught.value)

    return judged


@pytest.mark.parametrize("code", ["40001", "40P01"])
def test_a_conflict_is_tried_again_on_the_same_link(raised: Raise, code: str) -> None:
    fault = raised(code)
    assert fault is not None
    assert (fault.lost, fault.again) == (False, True)


@pytest.mark.parametrize("code", ["55P03", "57014", "53100", "53200", "58030"])
def test_what_took_its_time_or_found_no_room_is_given_up(raised: Raise, code: str) -> None:
    fault = raised(code)
    assert fault is not None
    assert (fault.lost, fault.again) == (False, False)


@pytest.mark.parametrize("code", ["57P01", "57P02", "57P03", "57P05", "25P03", "53300", "08006"])
def test_a_link_that_the_server_ends_is_made_again(raised: Raise, code: str) -> None:
    fault = raised(code)
    assert fault is not None
    assert (fault.lost, fault.again) == (True, True)


@pytest.mark.parametrize("code", ["25006", "28P01", "28000", "3D000", "XX000", "XX001"])
def test_what_only_an_operator_mends_is_not_tried_again_on_its_link(
    raised: Raise, code: str
) -> None:
    fault = raised(code)
    assert fault is not None
    assert (fault.lost, fault.again) == (True, False)


@pytest.mark.parametrize("code", ["22012", "23505", "42P01", "42601", "22021", "P0001"])
def test_a_mistake_of_ours_is_none(raised: Raise, code: str) -> None:
    assert raised(code) is None


def test_a_link_without_a_word_is_lost() -> None:
    fault = judge(psycopg.OperationalError("the server closed the connection"))
    assert fault is not None
    assert (fault.lost, fault.again) == (True, True)


def test_an_error_of_the_driver_itself_is_none() -> None:
    assert judge(psycopg.ProgrammingError("the query has no parameters")) is None


@pytest.mark.parametrize("maybe_applied", [False, True])
def test_a_caller_is_told_in_our_words(raised: Raise, maybe_applied: bool) -> None:
    fault = raised("58030")
    assert fault is not None
    refusal = fault.refusal(maybe_applied=maybe_applied)
    assert refusal.maybe_applied is maybe_applied
    assert "secret" not in str(refusal)
