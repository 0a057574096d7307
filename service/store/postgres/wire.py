"""Statements sent over one connection without waiting for each other's answers.

Everything that is sent goes out with the next `receive`, in one round trip, however many
statements it is. This uses libpq's pipeline mode by the driver's `pq` module: its cursors would
cost a system call or two for each statement, and their own time again.
"""

import select
from collections.abc import Sequence
from typing import Any, NoReturn

import psycopg
from psycopg.adapt import Transformer
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGresult

from service.store.database import Row

_DONE = frozenset({ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK})


class Reply:
    """What a statement will have been answered: its rows and its tag, once it was received."""

    __slots__ = ("rows", "tag")

    def __init__(self) -> None:
        self.rows: list[Row] | None = None
        self.tag = b""


class Wire:
    """One connection, used by one thread at a time.

    No answer is awaited for longer than `patience` seconds. `named` statements are parsed once.
    Every method raises `psycopg.Error`; after one without an SQLSTATE the wire is of no more use.
    """

    def __init__(
        self, connection: psycopg.Connection[Any], *, patience: float, named: bool
    ) -> None:
        self._connection = connection
        self._pg = connection.pgconn
        self._named = named
        self._patience = round(patience * 1000)
        self._rows = Transformer(connection)
        self._names: dict[str, bytes] = {}
        self._sent: list[tuple[Reply | None, str]] = []
        self._poll = select.poll()
        self._poll.register(self._pg.socket, select.POLLIN)
        self._pg.nonblocking = 1
        self._pg.enter_pipeline_mode()

    @property
    def waiting(self) -> bool:
        """Return whether something was sent that was not received yet."""
        return bool(self._sent)

    def send(self, text: str, params: Sequence[bytes | None] = (), *, kept: bool = True) -> Reply:
        """Send a statement; its reply is filled by the next `receive`.

        What is `kept` by the server is parsed once: one of a text that comes again and again.
        """
        reply = Reply()
        if self._named and kept:
            name = self._names.get(text)
            if name is None:
                name = b"s%d" % len(self._names)
                self._pg.send_prepare(name, text.encode())
                self._sent.append((None, text))
                self._names[text] = name
            self._pg.send_query_prepared(name, params)
        else:
            self._pg.send_query_params(text.encode(), params)
        self._sent.append((reply, text))
        return reply

    def receive(self) -> None:
        """Wait for the answers of all that was sent; raise the first error among them."""
        sent, self._sent = self._sent, []
        self._pg.pipeline_sync()
        self._flush()
        failed: PGresult | None = None
        try:
            for reply, text in sent:
                result = self._result()
                self._result_end()
                if result.status in _DONE:
                    if reply is not None:
                        self._rows.set_pgresult(result)
                        reply.rows = self._rows.load_rows(0, result.ntuples, tuple)
                        reply.tag = result.command_status or b""
                elif result.status is ExecStatus.PIPELINE_ABORTED:
                    self._forget(reply, text)
                else:
                    failed = failed or result
                    self._forget(reply, text)
            self._result()
        except psycopg.OperationalError:
            if failed is None:  # else that is why the server says no more
                raise
        if failed is not None:
            self._fail(failed)

    def script(self, text: str) -> None:
        """Run any number of statements that take no parameters, and wait for them."""
        self.receive()
        self._pg.exit_pipeline_mode()
        self._pg.send_query(text.encode())
        self._flush()
        failed: PGresult | None = None
        while (result := self._next()) is not None:
            if result.status not in _DONE:
                failed = failed or result
        self._pg.enter_pipeline_mode()
        if failed is not None:
            self._fail(failed)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _forget(self, reply: Reply | None, text: str) -> None:
        """Parse a statement again the next time, when its parsing came to nothing."""
        if reply is None:
            self._names.pop(text, None)

    def _flush(self) -> None:
        while self._pg.flush():
            self._poll.modify(self._pg.socket, select.POLLIN | select.POLLOUT)
            try:
                self._wait()
            finally:
                self._poll.modify(self._pg.socket, select.POLLIN)
            self._pg.consume_input()

    def _next(self) -> PGresult | None:
        while self._pg.is_busy():
            self._wait()
            self._pg.consume_input()
        return self._pg.get_result()

    def _result(self) -> PGresult:
        result = self._next()
        if result is None:
            raise psycopg.OperationalError("The server closed the connection.")
        return result

    def _result_end(self) -> None:
        if self._next() is not None:
            raise psycopg.OperationalError("The server answered out of order.")

    def _wait(self) -> None:
        if not self._poll.poll(self._patience):
            raise psycopg.OperationalError("The server did not answer in time.")

    def _fail(self, result: PGresult) -> NoReturn:
        raise psycopg.errors.error_from_result(result)
