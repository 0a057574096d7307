"""The frames of PostgreSQL's protocol, and which statements a client has executed with them.

A frame is a letter, the length of the rest in four bytes, and a body. Only the client's first ones
have no letter: a request for encryption, which is answered outside of this scheme, and the start.
"""

import struct
from dataclasses import dataclass

ENCRYPTION = {80877103, 80877104}
"""The codes of requests for TLS and for GSSAPI."""


@dataclass(frozen=True)
class Frame:
    """One frame; `raw` is every byte of it, and the kind of those without a letter is empty."""

    kind: bytes
    body: bytes
    raw: bytes

    @property
    def wants_encryption(self) -> bool:
        """Tell whether the client asks for encryption before it starts."""
        return not self.kind and struct.unpack("!I", self.body[:4])[0] in ENCRYPTION


class Frames:
    """Cuts a stream of bytes into frames, however they were split on their way."""

    def __init__(self, *, started: bool) -> None:
        self._started = started
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[Frame]:
        """Take more bytes, and return the frames that they complete."""
        self._rest += data
        frames: list[Frame] = []
        while (frame := self._cut()) is not None:
            frames.append(frame)
            self._started = self._started or not frame.wants_encryption
        return frames

    def _cut(self) -> Frame | None:
        letters = int(self._started)
        if len(self._rest) < letters + 4:
            return None
        size = letters + struct.unpack_from("!I", self._rest, letters)[0]
        if len(self._rest) < size:
            return None
        raw = bytes(self._rest[:size])
        del self._rest[:size]
        return Frame(raw[:letters], raw[letters + 4 :], raw)


class Statements:
    """Follows what a client prepares and binds, to know the text of what it executes."""

    def __init__(self) -> None:
        self._prepared: dict[bytes, bytes] = {}
        self._bound: dict[bytes, bytes] = {}

    def executed(self, frame: Frame) -> bytes | None:
        """Return the text of the statement that a frame executes, if it executes one."""
        words = frame.body.split(b"\0", 2)
        match frame.kind:
            case b"Q":
                return words[0]
            case b"P":
                self._prepared[words[0]] = words[1]
            case b"B":
                self._bound[words[0]] = self._prepared.get(words[1], b"")
            case b"E":
                return self._bound.get(words[0], b"")
        return None
