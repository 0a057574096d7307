"""Named statements inside one PostgreSQL transaction, from the thread that has the connection."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from hashlib import blake2b

from pydantic_core import to_json

from service.domain.clock import Instant
from service.store.database import Params, Row
from service.store.postgres.literal import columns, literal
from service.store.postgres.wire import Reply, Wire
from service.store.statements import load, pieces

SQL = load("service.store.postgres")
PIECES = pieces("service.store.postgres")
CHANNEL = "workflow_log"

_MANY = frozenset(name for name, text in SQL.items() if "WITH ORDINALITY" in text)
"""Statements that take arrays, and whose rows begin with the number of the item they answer."""
_LARGEST_NOTICE = 7_000
_MOST_EVENTS = 40


def prepared(name: str, params: Params) -> tuple[str, Sequence[bytes | None]]:
    """Return a statement's text and its parameters, for one run of it."""
    return SQL[name], columns([params]) if name in _MANY else [literal(value) for value in params]


def answered(name: str, reply: Reply) -> list[Row]:
    """Return the rows of one run of a statement."""
    rows = reply.rows or []
    return [row[1:] for row in rows] if name in _MANY else rows


class PostgresTransaction:
    """One transaction; what needs no answer is sent along with what follows.

    `told` are the identities of the events that it appends, `before` is the position before them.
    """

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._now: Instant | None = None
        self.told: list[Params] = []
        self.before: int | None = None
        self._appended: Reply | None = None

    def begin(self, *statements: str) -> None:
        """Begin with these statements, which go out with the first one that needs an answer."""
        for text in statements:
            self._wire.send(text)

    def commit(self) -> bool:
        """Return whether it was committed; False: what went wrong before undid it."""
        reply = self._wire.send("COMMIT")
        self._wire.receive()
        return reply.tag == b"COMMIT"

    @property
    def now(self) -> Instant:
        """Return the database's instant when it was asked first."""
        if self._now is None:
            now: Instant = self._ask(SQL["clock"])[0][0]
            self._now = now
        return self._now

    def lock(
        self, *, queues: Sequence[str], keys: Sequence[object], instances: Sequence[str]
    ) -> None:
        """Hold these to the end; the numbers of keys may meet, which holds up but never fails."""
        if queues:
            # Whoever held a queue before has counted by a later clock than that of our beginning.
            self._now = None
            self.run("lock_queues", [(queue,) for queue in queues])
        if keys:
            self.run("lock_keys", [(number,) for number in sorted({_number(key) for key in keys})])
        if instances:
            self.run("lock_instances", [(each,) for each in instances])

    def all(self, name: str, params: Params = ()) -> list[Row]:
        """Run a statement and return its rows."""
        reply = self._wire.send(*prepared(name, params))
        self._wire.receive()
        return answered(name, reply)

    def one(self, name: str, params: Params = ()) -> Row | None:
        """Run a statement and return its first row, if there is one."""
        rows = self.all(name, params)
        return rows[0] if rows else None

    def many(self, name: str, params: Sequence[Params]) -> list[Row | None]:
        """Run a statement on all of `params` and return each one's first row."""
        return [rows[0] if rows else None for rows in self.every(name, params)]

    def every(self, name: str, params: Sequence[Params]) -> list[list[Row]]:
        """Run a statement on all of `params` and return each one's rows."""
        answers: list[list[Row]] = [[] for _ in params]
        if params:
            for row in self._ask(SQL[name], columns(params)):
                number: int = row[0]
                answers[number - 1].append(row[1:])
        return answers

    def run(self, name: str, params: Sequence[Params]) -> None:
        """Run a statement that answers nothing on all of `params`."""
        if params:
            self._wire.send(SQL[name], columns(params))

    def append(self, events: Sequence[Params], mark: int) -> Callable[[], int]:
        """Write events at the end of the log."""
        self.told = [(event[1], event[0], event[-1]) for event in events]
        params = columns(events)
        rest = (len(events), mark, CHANNEL, _notice(events))
        params.extend(literal(value) or b"" for value in rest)
        self._appended = self._wire.send(SQL["append"], params)
        return self._before

    def compose(self, text: str, params: Params) -> list[Row]:
        """Run a statement that was put together from named pieces, with a `?` for each param."""
        first, *rest = text.split("?")
        numbered = first + "".join(f"${number}{part}" for number, part in enumerate(rest, 1))
        reply = self._wire.send(numbered, [literal(value) for value in params], kept=False)
        self._wire.receive()
        return reply.rows or []

    def piece(self, name: str) -> str:
        """Return the text of a named piece."""
        return PIECES[name]

    def script(self, text: str) -> None:
        """Run the statements of a migration."""
        self._wire.script(text)

    @contextmanager
    def savepoint(self) -> Generator[None]:
        """Undo what the block wrote if it raises."""
        self._wire.send("SAVEPOINT part")
        try:
            yield
        except BaseException:
            self._wire.send("ROLLBACK TO SAVEPOINT part")
            raise
        finally:
            self._wire.send("RELEASE SAVEPOINT part")

    def _ask(self, text: str, params: Sequence[bytes | None] = ()) -> list[Row]:
        reply = self._wire.send(text, params)
        self._wire.receive()
        return reply.rows or []

    def _before(self) -> int:
        if self.before is None and self._appended is not None:
            if self._appended.rows is None:
                self._wire.receive()
            if self._appended.rows:
                self.before = self._appended.rows[0][0]
        if self.before is None:
            raise LookupError("The log has no row: the database was not migrated.")
        return self.before


def _number(key: object) -> int:
    digest = blake2b(repr(key).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _notice(events: Sequence[Params]) -> str:
    """Return the events as JSON where they are few, or nothing: a notification has its limit."""
    if len(events) > _MOST_EVENTS:
        return ""
    text = to_json(events)
    return text.decode() if len(text) <= _LARGEST_NOTICE else ""
