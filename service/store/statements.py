"""Loads a dialect's named statements from its .sql files.

A statement begins with `-- name: x` and comments that describe it; a `-- fragment: x` is text that
statements of the same dialect include as `{x}`.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

_HEAD = re.compile(r"^-- (name|fragment): (\w+)\n", re.MULTILINE)
_COMMENT = re.compile(r"^\s*--.*\n?", re.MULTILINE)
_INCLUDE = re.compile(r"\{(\w+)\}")


@cache
def load(package: str) -> Mapping[str, str]:
    """Return the statements in the .sql files of `package` by name."""
    names, fragments = _parts(package)
    return {
        name: _INCLUDE.sub(lambda match: fragments[match[1]], text) for name, text in names.items()
    }


@cache
def pieces(package: str) -> Mapping[str, str]:
    """Return the fragments in the .sql files of `package` by name."""
    return _parts(package)[1]


@cache
def _parts(package: str) -> tuple[dict[str, str], dict[str, str]]:
    names: dict[str, str] = {}
    fragments: dict[str, str] = {}
    for file in sorted(resources.files(package).iterdir(), key=lambda file: file.name):
        if not file.name.endswith(".sql"):
            continue
        _, *parts = _HEAD.split(file.read_text(encoding="utf-8"))
        for kind, name, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
            if name in names or name in fragments:
                raise ValueError(f"{package} has two statements named {name!r}: rename one.")
            target = names if kind == "name" else fragments
            target[name] = _COMMENT.sub("", text).strip().rstrip(";")
    return names, fragments
