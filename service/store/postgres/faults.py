"""What PostgreSQL's errors mean: https://www.postgresql.org/docs/current/errcodes-appendix.html."""

from dataclasses import dataclass

import psycopg

from service.domain.errors import Unavailable


@dataclass(frozen=True, slots=True)
class Fault:
    """What to do about an error: whether the link is of no more use, and whether to try again."""

    reason: str
    lost: bool
    again: bool

    def refusal(self, *, maybe_applied: bool) -> Unavailable:
        """Return what to raise instead."""
        return Unavailable(self.reason, maybe_applied=maybe_applied)


_GONE = Fault("PostgreSQL can't be reached.", lost=True, again=True)
_BUSY = Fault("Other transactions keep the database busy.", lost=False, again=True)
_SLOW = Fault("Other processes keep the database busy.", lost=False, again=False)
_CODES = {
    "25006": Fault("PostgreSQL takes no writes at the moment.", lost=True, again=False),
    "40001": _BUSY,
    "40P01": _BUSY,
    "55P03": _SLOW,
    "57014": _SLOW,
    "57P01": _GONE,
    "57P02": _GONE,
    "57P03": _GONE,
    "57P04": _GONE,
    "57P05": _GONE,
    "25P03": _GONE,
    "25P04": _GONE,
    "53300": Fault("PostgreSQL has no connection left.", lost=True, again=True),
    "53100": Fault("The disk that holds the database is full.", lost=False, again=False),
    "53200": Fault("PostgreSQL is out of memory.", lost=False, again=False),
}
_CLASSES = {
    "08": _GONE,
    "28": Fault("PostgreSQL lets this user in no more.", lost=True, again=False),
    "3D": Fault("The database is not there.", lost=True, again=False),
    "58": Fault("The system that PostgreSQL runs on failed.", lost=False, again=False),
    "XX": Fault("PostgreSQL failed, or its files are damaged.", lost=True, again=False),
}


def judge(error: psycopg.Error) -> Fault | None:
    """Return what the error means; None for one of the program's own."""
    code = error.sqlstate
    if code is None:
        return _GONE if isinstance(error, psycopg.OperationalError) else None
    return _CODES.get(code) or _CLASSES.get(code[:2])
