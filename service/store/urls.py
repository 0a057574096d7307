"""The URLs of databases: whether one makes sense, and what people are shown of it."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

SQLITE = "sqlite:///"
POSTGRES = ("postgresql://", "postgres://")

_SQLITE_EXAMPLE = f"Write {SQLITE}workflows.db, or {SQLITE}/var/lib/workflows.db for a full path."
_POSTGRES_EXAMPLE = "For PostgreSQL write postgresql://user:password@host:5432/name."


def described(url: str) -> str:
    """Return the file, or the database, host and port, that a URL leads to: never a password."""
    if url.startswith(SQLITE):
        return str(Path(url.removeprefix(SQLITE)).resolve())
    parts = urlsplit(url)
    _, _, hosts = parts.netloc.rpartition("@")
    name = unquote(parts.path.removeprefix("/")) or "the user's own database"
    return f"{name} on {unquote(hosts) or 'the local socket'}"


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
    try:
        fine = not urlsplit(url).fragment and "\0" not in url
    except ValueError:
        fine = False
    if not fine:
        raise ValueError(
            f"it is no URL. {_POSTGRES_EXAMPLE} Special letters of a password, such as #, are "
            "written in percent-encoding."
        )
