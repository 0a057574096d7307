import pytest

from service.domain.errors import DefinitionError, InvalidParams
from service.domain.names import check_defined_name, check_name, dashed


@pytest.mark.parametrize(
    "name",
    ["a", "x" * 200, "😀" * 200, "مرحبا", "e\u0301", "\u00e9", "a\nb", "%_\\'\"", " a ", "null"],
)
def test_a_name_is_kept_exactly(name: str) -> None:
    assert check_name(name, "queue") == name
    assert check_defined_name(name, "A queue's name") == name


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("", "is empty"),
        ("x" * 201, "has 201 characters: give at most 200"),
        ("x" * 10_000, "has 10,000 characters"),
        ("  \n\t\u2003", "has only blanks"),
        ("a\0b", "holds a NUL"),
        ("a\ud800", "holds half of a surrogate pair"),
        (5, "must be text, not int"),
        (None, "must be text, not NoneType"),
    ],
)
def test_what_can_be_no_name_is_refused(name: object, fault: str) -> None:
    with pytest.raises(InvalidParams, match=fault) as caught:
        check_name(name, "idempotencyKey")
    assert [tuple(found.path) for found in caught.value.faults] == [("idempotencyKey",)]
    with pytest.raises(DefinitionError, match=f"A queue's name {fault}"):
        check_defined_name(name, "A queue's name")


def test_a_functions_name_is_written_with_dashes() -> None:
    assert dashed("fulfil_order") == "fulfil-order"
