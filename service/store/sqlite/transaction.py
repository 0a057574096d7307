"""Named statements inside one SQLite transaction, in the connection's own thread."""

import sqlite3
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from service.domain.clock import Instant
from service.store.database import Params, Row
from service.store.statements import load, pieces

SQL = load("service.store.sqlite")
PIECES = pieces("service.store.sqlite")


class SqliteTransaction:
    """One transaction. `announced` is the log position to tell of after the commit."""

    def __init__(self, raw: sqlite3.Connection, now: Instant) -> None:
        self._cursor = raw.cursor()
        self._cursor.row_factory = None
        self._now = now
        self.announced: int | None = None

    @property
    def now(self) -> Instant:
        """Return the instant at which the transaction began."""
        return self._now

    def lock(
        self, *, queues: Sequence[str], keys: Sequence[object], instances: Sequence[str]
    ) -> None:
        """Do nothing: whoever writes holds the whole file."""

    def all(self, name: str, params: Params = ()) -> list[Row]:
        """Run a statement and return its rows."""
        return self._cursor.execute(SQL[name], params).fetchall()

    def one(self, name: str, params: Params = ()) -> Row | None:
        """Run a statement and return its first row, if there is one."""
        rows = self._cursor.execute(SQL[name], params).fetchall()
        return rows[0] if rows else None

    def many(self, name: str, params: Sequence[Params]) -> list[Row | None]:
        """Run a statement once for each of `params` and return each one's first row."""
        sql, execute = SQL[name], self._cursor.execute
        answers: list[Row | None] = []
        for each in params:
            rows = execute(sql, each).fetchall()
            answers.append(rows[0] if rows else None)
        return answers

    def every(self, name: str, params: Sequence[Params]) -> list[list[Row]]:
        """Run a statement once for each of `params` and return each one's rows."""
        return [self.all(name, each) for each in params]

    def run(self, name: str, params: Sequence[Params]) -> None:
        """Run a statement that answers nothing once for each of `params`."""
        self._cursor.executemany(SQL[name], params)

    def compose(self, text: str, params: Params) -> list[Row]:
        """Run a statement that was put together from named pieces."""
        return self._cursor.execute(text, params).fetchall()

    def piece(self, name: str) -> str:
        """Return the text of a named piece."""
        return PIECES[name]

    def script(self, text: str) -> None:
        """Run the statements of a migration; `executescript` would commit first."""
        statement = ""
        for line in text.splitlines(keepends=True):
            statement += line
            if sqlite3.complete_statement(statement):
                self._cursor.execute(statement)
                statement = ""

    @contextmanager
    def savepoint(self) -> Generator[None]:
        """Undo what the block wrote if it raises."""
        self._cursor.execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            self._cursor.execute("ROLLBACK TO part")
            raise
        finally:
            self._cursor.execute("RELEASE part")

    def append(self, events: Sequence[Params], mark: int) -> Callable[[], int]:
        """Write events at the end of the log; the others are told after the commit."""
        before = self.all("head")[0][0]
        rows = [(*event, position) for position, event in enumerate(events, before + 1)]
        self.run("insert_event", rows)
        self.announced = before + len(rows)
        self.run("advance_head", [(self.announced, mark)])
        return lambda: before
