"""What SQLite's errors mean to a caller."""

import sqlite3

from service.domain.errors import Unavailable

_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_OUT_OF_REACH = {
    sqlite3.SQLITE_FULL: "The disk that holds the database is full.",
    sqlite3.SQLITE_IOERR: "The disk that holds the database failed.",
    sqlite3.SQLITE_READONLY: "The database file can't be written.",
    sqlite3.SQLITE_CANTOPEN: "The database file can't be opened.",
    sqlite3.SQLITE_CORRUPT: "The database file is damaged.",
    sqlite3.SQLITE_NOTADB: "The database file is not an SQLite database.",
}


def translate(error: sqlite3.Error, *, committing: bool) -> Exception:
    """Return what to raise instead of the driver's error; a programming error stays as it is."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _BUSY:
        return Unavailable("Other processes keep the database busy.", maybe_applied=False)
    reason = _OUT_OF_REACH.get(code)
    if reason is None:
        return error
    return Unavailable(reason, maybe_applied=committing)
