"""How far something long is, for whoever waits for it."""

import sys
from typing import Self

import click

from service.domain.clock import Clock

_QUIET_SECONDS = 10.0
_CLEAR = "\r\x1b[K"


class Progress:
    """Tells on stderr: on a terminal in one line that changes, else in a line now and then.

    Without a terminal that is when a table is done, and every ten seconds.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._live = sys.stderr.isatty()
        self._subject: tuple[str, str] | None = None
        self._begun = 0.0
        self._first = 0
        self._said = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._leave()

    def __call__(self, what: str, table: str, done: int, total: int) -> None:
        """Tell how many rows of a table are done, and how many a second."""
        now = self._clock.monotonic()
        if self._subject != (what, table):
            self._subject = (what, table)
            self._begun = self._said = now
            self._first = done
            if done < total and not self._live:
                return
        line = f"{table}: {done:,} of {total:,} {what}{self._rate(done, now)}"
        if self._live:
            click.echo(f"{_CLEAR}{line}", nl=False, err=True)
        if done >= total:
            self._leave()
            click.echo(line, err=True)
        elif not self._live and now - self._said >= _QUIET_SECONDS:
            self._said = now
            click.echo(line, err=True)

    def _rate(self, done: int, now: float) -> str:
        seconds = now - self._begun
        rows = done - self._first
        return f", {rows / seconds:,.0f} rows a second" if rows and seconds else ""

    def _leave(self) -> None:
        if self._live:
            click.echo(_CLEAR, nl=False, err=True)
