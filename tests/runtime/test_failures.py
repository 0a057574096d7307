from service.runtime.failures import describe, failure_of
from tests.domain.test_transitions import HELD


class Odd(Exception):
    __qualname__ = "a\0b\ud800"


def test_the_name_is_the_one_that_was_written() -> None:
    class Inner(Exception):
        pass

    assert describe(ValueError("bad")) == ("ValueError", "bad")
    assert describe(Inner("x"))[0].endswith("Inner")
    assert describe(KeyError("k")) == ("KeyError", "'k'")


def test_name_and_message_can_be_written_anywhere() -> None:
    for text in describe(Odd("a\0b\udfff")):
        assert "\0" not in text
        assert text.encode()


def test_a_group_tells_of_its_innermost_members() -> None:
    group = ExceptionGroup("outer", [ExceptionGroup("inner", [ValueError("a")]), KeyError("b")])
    name, message = describe(group)
    assert name == "ExceptionGroup"
    assert message == "outer (2 sub-exceptions): ValueError: a; KeyError: 'b'"


def test_a_failure_is_of_the_attempt_that_was_made() -> None:
    failure = failure_of(HELD, ValueError("bad"))
    assert (failure.instance_id, failure.fence, failure.visit) == ("i1", 7, 4)
    assert (failure.action, failure.attempt) == ("pay", 3)
    assert failure.summary == "ValueError: bad"
    assert failure_of(HELD, ValueError()).summary == "ValueError"
