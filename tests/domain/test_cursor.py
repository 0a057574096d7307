import re
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from service.domain.cursor import Key, LogCursor, decode, decode_key, encode, encode_key
from service.domain.errors import InvalidCursor

MAX_POSITION = 2**63 - 1
MAX_MARK = 2**32 - 1

positions = st.integers(0, MAX_POSITION)
marks = st.integers(0, MAX_MARK)
instants = st.integers(-(2**63), MAX_POSITION)
ids = st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=200
)
any_text = st.text(st.characters())


@given(positions, marks)
@example(0, 0)
@example(MAX_POSITION, MAX_MARK)
def test_a_log_cursor_comes_back(position: int, mark: int) -> None:
    text = encode(position, mark)
    assert decode(text) == LogCursor(position, mark)
    assert re.fullmatch(r"[A-Za-z0-9_-]+", text)


@given(instants, ids)
@example(0, "0190b3a4-0000-7000-8000-000000000000")
def test_a_list_cursor_comes_back(at: int, id_: str) -> None:
    text = encode_key(at, id_)
    assert decode_key(text) == Key(at, id_)
    assert re.fullmatch(r"[A-Za-z0-9_-]+", text)


@given(st.tuples(positions, marks), st.tuples(positions, marks))
def test_different_places_have_different_texts(a: tuple[int, int], b: tuple[int, int]) -> None:
    assert (encode(*a) == encode(*b)) == (a == b)


@given(any_text)
@example("")
@example("0")
@example("9" * 400)
@example("9" * 1_000_000)
@example("\ud800")
@example("\0")
@example("é🎉")
@example("====")
@example("-1")
@example("TAAAAAAAAAAAAAAA+/")
@example("TP__________AAAAAA")  # a negative position
def test_any_text_is_read_back_or_refused(text: str) -> None:
    for again in (_log_again, _key_again):
        try:
            assert again(text) == text
        except InvalidCursor as error:
            message = str(error)
            message.encode()
            if len(message) > 500:
                raise


@given(positions, marks, st.data())
def test_a_changed_text_is_another_cursor_or_none(
    position: int, mark: int, data: st.DataObject
) -> None:
    text = encode(position, mark)
    at = data.draw(st.integers(0, len(text) - 1))
    changed = text[:at] + data.draw(st.characters()) + text[at + 1 :]
    if changed == text:
        return
    with suppress(InvalidCursor):
        assert decode(changed) != LogCursor(position, mark)


@pytest.mark.parametrize("spoil", [
    lambda text: text + "=",
    lambda text: text + "\n",
    lambda text: " " + text,
    lambda text: text[:-1],
    lambda text: text + "A",
    lambda text: text[:4] + "!" + text[4:],
])  # fmt: skip
def test_what_base64_would_forgive_is_refused(spoil: Callable[[str], str]) -> None:
    with pytest.raises(InvalidCursor):
        decode(spoil(encode(12, 34)))


def test_a_list_cursor_is_not_one_of_the_log() -> None:
    with pytest.raises(InvalidCursor, match=r"cursor of a list, not of the log.*`after`"):
        decode(encode_key(12, "an id"))


def test_a_log_cursor_is_not_one_of_a_list() -> None:
    with pytest.raises(InvalidCursor, match=r"cursor of the log, not of a list.*`pageInfo`"):
        decode_key(encode(12, 34))


def test_an_id_that_a_database_refuses_is_refused_first() -> None:
    with pytest.raises(InvalidCursor):
        decode_key(encode_key(12, "a\0b"))


def test_the_refusal_says_where_cursors_come_from() -> None:
    with pytest.raises(InvalidCursor, match=r"`cursor` of an event") as refused:
        decode("x" * 10_000)
    assert refused.value.code == "INVALID_CURSOR"


def _log_again(text: str) -> str:
    found = decode(text)
    return encode(found.position, found.mark)


def _key_again(text: str) -> str:
    found = decode_key(text)
    return encode_key(found.at, found.id)
