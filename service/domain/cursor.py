"""Cursors as text: opaque, safe in a URL, and of two kinds that can't be taken for each other.

A log cursor is a position and the mark of the event there. A list cursor is the key of a row:
its instant and its id.
"""

import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass

from service.domain.clock import Instant
from service.domain.errors import InvalidCursor

_LOG = b"L"
_LIST = b"K"
_LOG_BODY = struct.Struct(">qI")
_LIST_HEAD = struct.Struct(">q")
_MAX_TEXT = 2000
_SHOWN = 40

_LOG_ADVICE = (
    "Take a log cursor from the `cursor` of an event, of an instance or of a mutation's answer; "
    'leave `after` out to start now, or give "" to start at the oldest event left.'
)
_LIST_ADVICE = (
    "Take a list cursor from an edge's `cursor` or from `pageInfo` of the same list; "
    "leave it out to start at the first page."
)


@dataclass(frozen=True, slots=True)
class LogCursor:
    """A position in the log, and the mark of the event at it (0 at position 0)."""

    position: int
    mark: int


@dataclass(frozen=True, slots=True)
class Key:
    """The place of a row in a list that is ordered by instant, then id."""

    at: Instant
    id: str


def encode(position: int, mark: int) -> str:
    """Return the text of a log cursor; positions go up to 2^63 - 1."""
    return _text(_LOG + _LOG_BODY.pack(position, mark))


def decode(text: str) -> LogCursor:
    """Read the text of a log cursor, or raise InvalidCursor."""
    raw = _raw(text)
    if raw[:1] == _LIST:
        raise InvalidCursor(f"{_shown(text)} is a cursor of a list, not of the log. {_LOG_ADVICE}")
    if raw[:1] == _LOG and len(raw) == 1 + _LOG_BODY.size:
        position, mark = _LOG_BODY.unpack_from(raw, 1)
        if position >= 0:
            return LogCursor(position, mark)
    raise InvalidCursor(f"{_shown(text)} is not a cursor of the log. {_LOG_ADVICE}")


def encode_key(at: Instant, id: str) -> str:
    """Return the text of a list cursor."""
    return _text(_LIST + _LIST_HEAD.pack(at) + id.encode())


def decode_key(text: str) -> Key:
    """Read the text of a list cursor, or raise InvalidCursor."""
    raw = _raw(text)
    if raw[:1] == _LOG:
        raise InvalidCursor(f"{_shown(text)} is a cursor of the log, not of a list. {_LIST_ADVICE}")
    if raw[:1] == _LIST and len(raw) > 1 + _LIST_HEAD.size:
        (at,) = _LIST_HEAD.unpack_from(raw, 1)
        id_ = _utf8(raw[1 + _LIST_HEAD.size :])
        if id_ and "\0" not in id_:
            return Key(at, id_)
    raise InvalidCursor(f"{_shown(text)} is not a cursor of a list. {_LIST_ADVICE}")


def _text(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def _raw(text: str) -> bytes:
    """Return the bytes that have exactly this text, or none."""
    if len(text) > _MAX_TEXT:
        return b""
    try:
        raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        return b""
    return raw if _text(raw) == text else b""


def _utf8(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return ""


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
