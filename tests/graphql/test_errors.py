import logging

import pytest
from graphql import GraphQLError

from service.domain.errors import Fault, InvalidParams, Unavailable
from service.graphql.errors import show, show_exception


def test_a_refusal_is_shown_with_its_code_and_details() -> None:
    shown = show_exception(InvalidParams([Fault(("params", "cents"), "is no number")]))
    assert shown == {
        "message": "params.cents: is no number",
        "extensions": {
            "code": "INVALID_PARAMS",
            "faults": [{"path": ["params", "cents"], "message": "is no number"}],
        },
    }


def test_an_unavailable_database_says_whether_it_may_be_applied() -> None:
    shown = show_exception(Unavailable("The database is busy.", maybe_applied=True))
    assert shown["extensions"] == {"code": "UNAVAILABLE", "maybeApplied": True}


def test_what_is_not_expected_is_masked_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    error = RuntimeError("SELECT secret FROM table")
    with caplog.at_level(logging.ERROR):
        shown = show(GraphQLError("SELECT secret FROM table", path=["a"], original_error=error))
    assert "secret" not in str(shown)
    assert shown["path"] == ["a"]
    assert shown["extensions"]["code"] == "INTERNAL"
    assert shown["extensions"]["maybeApplied"] is True
    assert shown["extensions"]["errorID"] in caplog.text
    assert shown["extensions"]["errorID"] in shown["message"]
    assert "SELECT secret" in caplog.text


def test_each_masked_error_has_an_id_of_its_own(caplog: pytest.LogCaptureFixture) -> None:
    ids = {show_exception(KeyError("x"))["extensions"]["errorID"] for _ in range(20)}
    assert len(ids) == 20


def test_a_wrapped_refusal_is_found() -> None:
    inner = GraphQLError("x", original_error=Unavailable("Busy.", maybe_applied=False))
    shown = show(GraphQLError("x", original_error=inner, path=["b", 1]))
    assert shown["extensions"] == {"code": "UNAVAILABLE", "maybeApplied": False}
    assert shown["path"] == ["b", 1]
