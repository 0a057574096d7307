import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.limits import DEPTH
from service.domain.plain import faults_in, faults_in_text, path_part, suspicious, text_fault

leaves = (
    st.none()
    | st.integers(-(10**20), 10**20)
    | st.floats()
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.just("\ud800")
)
values = st.recursive(
    leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=15
)


@given(values, st.booleans())
def test_what_is_not_suspicious_has_no_fault(value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    try:
        data = text.encode()
    except UnicodeEncodeError:
        assert list(faults_in(value))
        return
    assert faults_in_text(text) == list(faults_in(value))
    assert suspicious(text, data) or not list(faults_in(value))


@given(st.integers(1, 3 * DEPTH), st.booleans())
def test_depth_is_counted(depth: int, in_objects: bool) -> None:
    value: Any = [] if not in_objects else {}
    for _ in range(depth - 1):
        value = {"a": value} if in_objects else [value]
    text = json.dumps(value)
    assert suspicious(text, text.encode()) == (depth > DEPTH)
    assert [len(fault.path) for fault in faults_in(value)] == ([DEPTH] if depth > DEPTH else [])


def test_every_fault_is_found() -> None:
    value = {"a": ["\0", 2**53, float("nan")], "\0": "\ud800"}
    found = [".".join(map(str, fault.path)) for fault in faults_in(value)]
    assert found == ["\\x00", "a.0", "a.1", "a.2", "\\x00"]


@pytest.mark.parametrize("text", ["", "a", "é😀", "\x01\x7f\u2028", "\ufffd"])
def test_other_text_is_kept(text: str) -> None:
    assert text_fault(text) is None


@pytest.mark.parametrize(
    ("key", "part"),
    [(3, 3), ("a", "a"), ("\0\ud800", "\\x00\\ud800"), (2**60, str(2**60)), (True, "True")],
)
def test_a_part_of_a_path_can_be_printed(key: object, part: object) -> None:
    assert path_part(key) == part
    assert str(path_part("x" * 1000)) == "x" * 100 + "…"
