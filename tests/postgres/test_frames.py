import struct

import pytest

from tests.postgres.frames import Frames, Statements


def framed(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack("!I", len(body) + 4) + body


STREAM = b"".join(
    [
        framed(b"", struct.pack("!I", 80877103)),
        framed(b"", struct.pack("!I", 196608) + b"user\0me\0\0"),
        framed(b"P", b"s1\0COMMIT\0\0\0"),
        framed(b"B", b"\0s1\0\0\0\0\0\0\0"),
        framed(b"E", b"\0\0\0\0\0"),
        framed(b"S", b""),
        framed(b"Q", b"BEGIN;\0"),
    ]
)


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_frames_are_the_same_however_they_were_split(size: int) -> None:
    frames, statements = Frames(started=False), Statements()
    cut = [
        frame for at in range(0, len(STREAM), size) for frame in frames.feed(STREAM[at : at + size])
    ]
    assert b"".join(frame.raw for frame in cut) == STREAM
    assert [frame.kind for frame in cut] == [b"", b"", b"P", b"B", b"E", b"S", b"Q"]
    assert [frame.wants_encryption for frame in cut][:3] == [True, False, False]
    texts = [statements.executed(frame) for frame in cut]
    assert [text for text in texts if text is not None] == [b"COMMIT", b"BEGIN;"]
