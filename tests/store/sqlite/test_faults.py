import sqlite3

import pytest

from service.domain.errors import Unavailable
from service.store.sqlite.faults import translate


def raised(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("what SQLite says")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize("committing", [False, True])
@pytest.mark.parametrize(
    "code",
    [
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_BUSY_SNAPSHOT,
        sqlite3.SQLITE_BUSY_RECOVERY,
        sqlite3.SQLITE_LOCKED,
    ],
)
def test_busy_has_changed_nothing_whenever_it_is_said(code: int, committing: bool) -> None:
    error = translate(raised(code), committing=committing)
    assert isinstance(error, Unavailable)
    assert not error.maybe_applied


@pytest.mark.parametrize("committing", [False, True])
@pytest.mark.parametrize(
    "code",
    [
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_IOERR_FSYNC,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_READONLY_DBMOVED,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
    ],
)
def test_a_failing_disk_may_have_taken_a_commit(code: int, committing: bool) -> None:
    error = translate(raised(code), committing=committing)
    assert isinstance(error, Unavailable)
    assert error.maybe_applied is committing
    assert "what SQLite says" not in str(error)


@pytest.mark.parametrize("code", [sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_ERROR])
def test_a_mistake_of_ours_stays_one(code: int) -> None:
    error = raised(code)
    assert translate(error, committing=False) is error


def test_an_error_of_the_driver_itself_stays_one() -> None:
    error = sqlite3.ProgrammingError("Cannot operate on a closed database.")
    assert translate(error, committing=False) is error
