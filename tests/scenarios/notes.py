"""What handlers write down: a line each in an append-only file, so that 'once' is counted by them.

Imported by the server's process, which writes, and by the test's, which reads.
"""

import os
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

BEGAN = "began"
ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Note:
    """One line: what happened, of which instance, on which try, when, and in which process.

    `at` is in seconds of the clock that all processes of a machine share; `tag` is the test's own.
    """

    word: str
    tag: str
    instance: str
    attempt: int
    at: float
    process: int


def note(file: str, word: str, *, tag: str = "", instance: str = "", attempt: int = 1) -> None:
    """Append a line in one write, which no other process's line falls into."""
    words = (word, tag or "-", instance or "-", attempt, time.monotonic_ns(), os.getpid())
    line = " ".join(map(str, words)) + "\n"
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(descriptor, line.encode())
    finally:
        os.close(descriptor)


class Notes:
    """The file as the test reads it; give `file` to the handlers in their params."""

    def __init__(self, path: Path) -> None:
        self.file = str(path)

    def all(self) -> list[Note]:
        """Return every line so far, in the order in which they were written."""
        path = Path(self.file)
        return list(map(_read, path.read_text().splitlines())) if path.exists() else []

    def words(self, tag: str | None = None) -> list[str]:
        """Return what happened, in order; to one tag if it is given."""
        return [each.word for each in self.all() if tag in (None, each.tag)]

    def count(self, word: str, tag: str | None = None) -> int:
        """Return how often something happened; to one tag if it is given."""
        return self.words(tag).count(word)

    def tags(self, word: str) -> list[str]:
        """Return whom something happened to, in order."""
        return [each.tag for each in self.all() if each.word == word]

    def runs(self) -> Counter[str]:
        """Return how often the handler of each instance began."""
        return Counter(each.instance for each in self.all() if each.word == BEGAN)

    def at(self, word: str) -> list[float]:
        """Return when something happened each time, in seconds."""
        return [each.at for each in self.all() if each.word == word]


def overlap(notes: Iterable[Note]) -> int:
    """Return the most runs that had begun and not ended at once, as the handlers saw it."""
    now = most = 0
    for each in notes:
        now += (each.word == BEGAN) - (each.word == ENDED)
        most = max(most, now)
    return most


def _read(line: str) -> Note:
    word, tag, instance, attempt, at, process = line.split()
    return Note(
        word, "" if tag == "-" else tag, instance, int(attempt), int(at) / 1e9, int(process)
    )
