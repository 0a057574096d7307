import pytest

from service.graphql import documents as module
from service.graphql.documents import KEPT, Documents
from service.graphql.errors import PARSE_FAILED, VALIDATION_FAILED, Refused
from service.graphql.schema import core


@pytest.fixture
def documents() -> Documents:
    return Documents(core, 2_000, 20, introspection=True)


def test_a_document_is_read_once(documents: Documents, monkeypatch: pytest.MonkeyPatch) -> None:
    first = documents.read("{__typename}")
    monkeypatch.setattr(module, "parse", None)
    monkeypatch.setattr(module, "validate", None)
    assert documents.read("{__typename}") is first


def test_a_refusal_is_found_once(documents: Documents, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Refused) as first:
        documents.read("{nope}")
    monkeypatch.setattr(module, "validate", None)
    with pytest.raises(Refused) as second:
        documents.read("{nope}")
    assert first.value.errors == second.value.errors
    assert first.value is not second.value


def test_what_is_kept_is_bounded_and_the_latest_used_stay(documents: Documents) -> None:
    used = documents.read("{__typename}")
    for number in range(15):
        documents.read("{__typename} #" + f"{number:05}" * 10_000)
        assert documents.read("{__typename}") is used
    kept = documents._read
    assert sum(map(len, kept)) <= KEPT
    assert len(kept) < 15


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", PARSE_FAILED),
        ("", PARSE_FAILED),
        ("query Q { __typename } }", PARSE_FAILED),
        ("{nope}", VALIDATION_FAILED),
        ("{workflowInstance{id}}", VALIDATION_FAILED),
        ("query A {__typename} query A {__typename}", VALIDATION_FAILED),
        ("type X {a: Int}", VALIDATION_FAILED),
        ('{workflowInstance(instanceID: {a: "b"}){id}}', VALIDATION_FAILED),
        ("subscription {workflowEvents{type} again:workflowEvents{type}}", VALIDATION_FAILED),
    ],
)
def test_what_is_no_good_has_a_code(documents: Documents, text: str, code: str) -> None:
    with pytest.raises(Refused) as refusal:
        documents.read(text)
    assert {error["extensions"]["code"] for error in refusal.value.errors} == {code}
    assert all(error["message"] for error in refusal.value.errors)


def test_operations_are_found_by_name(documents: Documents) -> None:
    assert set(documents.read("query A {__typename} query B {__typename}").operations) == {"A", "B"}
    assert set(documents.read("{__typename}").operations) == {""}
