"""What is sent as text arrives as it was."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.store.postgres.literal import array, columns, literal
from service.store.postgres.wire import Wire

quick = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

tricky = st.text(alphabet='\x1f"\\{},NULnul \t\n\x01é😀', max_size=8)
texts = tricky | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
whole = st.integers(-(2**63), 2**63 - 1)
ITEMS = {"text": texts, "bigint": whole, "boolean": st.booleans()}
alike = {kind: st.lists(st.just(None) | items, max_size=5) for kind, items in ITEMS.items()}


def asked(wire: Wire, text: str, *params: bytes | None) -> list[Any]:
    reply = wire.send(text, params)
    wire.receive()
    return [row[0] for row in reply.rows or []]


@pytest.mark.parametrize("kind", ITEMS)
@quick
@given(data=st.data())
def test_a_value_comes_back(wire: Wire, kind: str, data: st.DataObject) -> None:
    value = data.draw(st.none() | ITEMS[kind])
    assert asked(wire, f"SELECT $1::{kind}", literal(value)) == [value]


@pytest.mark.parametrize("kind", ITEMS)
@quick
@given(data=st.data())
def test_an_array_comes_back(wire: Wire, kind: str, data: st.DataObject) -> None:
    values = data.draw(alike[kind] | st.lists(ITEMS[kind]))
    several = data.draw(st.integers(1, 3))
    found = asked(wire, f"SELECT unnest($1::{kind}[])", array(values * several))
    assert found == values * several


@pytest.mark.parametrize(
    "values",
    [
        [],
        [None],
        [None, None],
        [""],
        ["", ""],
        ["NULL", "null", "Null"],
        ["NULL"],
        [None, "NULL"],
        ["\x1f"],
        ["\x1f", "\x1f"],
        ["a\x1fb", "c"],
        ['"', "\\", '\\"', "{", "}", ",", "{}"],
        [" a", "a ", " ", "\t", "\n", "\r\n"],
    ],
)
def test_what_an_array_might_trip_over_comes_back(wire: Wire, values: list[str | None]) -> None:
    assert asked(wire, "SELECT unnest($1::text[])", array(values)) == values


def test_params_of_many_are_columns(wire: Wire) -> None:
    params = columns([("a", 1, True), (None, None, None), ('"', 2**53, False)])
    reply = wire.send("SELECT * FROM unnest($1::text[], $2::bigint[], $3::boolean[])", params)
    wire.receive()
    assert reply.rows == [("a", 1, True), (None, None, None), ('"', 2**53, False)]


@pytest.mark.parametrize("text", ["\0", "a\0b"])
def test_nul_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="NUL"):
        literal(text)
    with pytest.raises(ValueError, match="NUL"):
        array(["fine", text])
