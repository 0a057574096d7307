"""Moments at which a link to PostgreSQL is cut, or a process is stopped, told by its statements."""

from collections.abc import Callable

CLAIM = b"fence = i.fence + 1"
SETTLE = b"last_error = coalesce(p.last_error"
"""Words that only the statement has by which an instance is claimed, or leaves RUNNING."""


def commit_after(words: bytes) -> Callable[[bytes], bool]:
    """Match the next commit after a statement with these words."""
    armed = False

    def matches(text: bytes) -> bool:
        nonlocal armed
        armed = armed or words in text
        return armed and text == b"COMMIT"

    return matches


def then(words: bytes, act: Callable[[], object]) -> Callable[[bytes], bool]:
    """Match nothing, but act as the first statement with these words passes."""
    done = False

    def matches(text: bytes) -> bool:
        nonlocal done
        if not done and words in text:
            done = True
            act()
        return False

    return matches
