import math
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from pydantic import BaseModel

from service.client.answers import data_of, is_answer, refusal_of
from service.client.codec import encode, event_of
from service.client.errors import RequestRefused, UnexpectedAnswer


@dataclass
class Parcel:
    weight: float
    due: datetime


class Letter(BaseModel):
    words: list[str]


def test_params_may_be_whatever_pydantic_can_write() -> None:
    due = datetime(2030, 1, 1, tzinfo=UTC)
    assert encode(Parcel(1.5, due)) == {"weight": 1.5, "due": "2030-01-01T00:00:00Z"}
    assert encode(Letter(words=["a"])) == {"words": ["a"]}
    assert encode([1, {"a": None}]) == [1, {"a": None}]


@pytest.mark.parametrize("params", [object(), {"a": {1: lambda: None}}])
def test_other_params_are_refused_with_what_to_give(params: object) -> None:
    with pytest.raises(RequestRefused, match="dataclass or a pydantic model") as caught:
        encode(params)
    assert caught.value.code == "INVALID_PARAMS"


def test_a_loop_is_refused() -> None:
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(RequestRefused, match="INVALID_PARAMS"):
        encode(loop)


def test_numbers_that_json_has_not_are_left_to_the_transport() -> None:
    assert math.isnan(float(str(encode(math.nan))))


def test_an_answer_that_does_not_fit_says_so() -> None:
    with pytest.raises(UnexpectedAnswer, match="of one version"):
        event_of({"type": "NO_SUCH_TYPE"})


@pytest.mark.parametrize(
    ("value", "answers"), [({"data": None}, True), ({"errors": []}, True), ({}, False), ([], False)]
)
def test_tells_an_answer_from_other_json(value: object, answers: bool) -> None:
    assert is_answer(value) is answers


def test_a_refusal_has_the_code_the_message_and_the_rest() -> None:
    error = {"message": "No.", "extensions": {"code": "NOT_FOUND", "more": 1}}
    with pytest.raises(RequestRefused) as caught:
        data_of({"data": None, "errors": [error]})
    assert (caught.value.code, caught.value.message) == ("NOT_FOUND", "No.")
    assert caught.value.extensions["more"] == 1


@pytest.mark.parametrize("errors", [["No."], [{"message": "No."}], "No.", [{}]])
def test_a_refusal_may_be_malformed(errors: object) -> None:
    assert refusal_of(errors).code == "BAD_REQUEST"


def test_an_answer_without_data_is_none() -> None:
    with pytest.raises(UnexpectedAnswer):
        data_of({"data": None})
