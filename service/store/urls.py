"""The URLs of databases: whether one makes sense, and what people are shown of it."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

SQLITE = "sqlite:///"
POSTGRES = ("postgresql://", "postgres://")

_SQLITE_EXAMPLE = f"Write {SQLITE}workflows.db, or {SQLITE}/var/lib/workflows.db for a full path."
_OPTIONS = re.compile(r"\?\w+=")
_BAD_CODE = re.compile(r"%(?:00|(?![0-9A-Fa-f]{2}))")
_OWN = "the user's own database"

_POSTGRES_EXAMPLE = "For PostgreSQL write postgresql://user:password@host:5432/name."


def described(url: str) -> str:
    """Return the file, or the database, host and port, that a URL leads to: never a password."""
    if url.startswith(SQLITE):
        return str(Path(url.removeprefix(SQLITE)).resolve())
    _, _, place = _who_and_where(url)
    hosts, _, name = place.partition("/")
    return f"{unquote(name) or _OWN} on {unquote(hosts) or 'the local socket'}"


def check_url(url: str) -> None:
    """Raise `ValueError`, with what to write instead, for what is no URL of a database."""
    if url.startswith(POSTGRES):
        check_postgres_url(url)
        return
    scheme, separator, _ = url.partition(":")
    path = url.removeprefix(SQLITE)
    if not separator or scheme.lower() != "sqlite":
        raise ValueError(
            "it must be the URL of an SQLite file or of a PostgreSQL database. "
            f"{_SQLITE_EXAMPLE} {_POSTGRES_EXAMPLE}"
        )
    if url == "sqlite://" or ":memory:" in path or "mode=memory" in path:
        raise ValueError(
            "a database in memory would be lost with the process, and its connections could "
            f"not share it. {_SQLITE_EXAMPLE}"
        )
    if path == url or not path.strip("/"):
        raise ValueError(f"a SQLite URL has three slashes and then a path. {_SQLITE_EXAMPLE}")
    if set(path) & set("?#\0"):
        raise ValueError(f"the path may not contain ?, # or NUL. {_SQLITE_EXAMPLE}")


def check_postgres_url(url: str) -> None:
    """Raise `ValueError`, with what to write instead, for what is no URL of a PostgreSQL."""
    if not url.startswith(POSTGRES):
        raise ValueError(f"it must be the URL of a PostgreSQL database. {_POSTGRES_EXAMPLE}")
    who, _, _ = _who_and_where(url)
    try:
        urlsplit(url)
        fine = not (set(url) & set("#\0") or set(who) & set("/?@[]") or _BAD_CODE.search(url))
    except ValueError:
        fine = False
    if not fine:
        raise ValueError(
            f"it is no URL. {_POSTGRES_EXAMPLE} Special letters of a password, such as # or %, are "
            "written in percent-encoding."
        )


def _who_and_where(url: str) -> tuple[str, str, str]:
    """Return the user and password, what parts them, and hosts with the database's name."""
    _, _, rest = url.partition("://")
    return _OPTIONS.split(rest, maxsplit=1)[0].rpartition("@")
