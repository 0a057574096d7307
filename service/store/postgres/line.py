"""One connection for one thread at a time, made again when it is lost; and what runs on it."""

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

import psycopg

from service.store.database import Params, Row, Work
from service.store.postgres.faults import Fault, judge
from service.store.postgres.link import Link
from service.store.postgres.transaction import SQL, PostgresTransaction, answered, prepared
from service.store.postgres.wire import Wire
from service.store.ticket import Ticket

T = TypeVar("T")
_log = logging.getLogger(__name__)
_FIRST_PAUSE = 0.02
_LONGEST_PAUSE = 0.5


class Line:
    """Runs work on a connection of its own. Every method raises `Unavailable`."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._wire: Wire | None = None
        self._lost = False

    def fetch(self, name: str, params: Params) -> list[Row]:
        """Run one statement that reads."""
        if self._link.pooled:
            return self.read(lambda tx: tx.all(name, params))

        def work(wire: Wire) -> list[Row]:
            reply = wire.send(*prepared(name, params))
            wire.receive()
            return answered(name, reply)

        return self._twice(work)

    def read(self, work: Work[T]) -> T:
        """Run `work` on one snapshot."""

        def once(wire: Wire) -> T:
            transaction = PostgresTransaction(wire)
            transaction.begin(*self._link.begin(snapshot=True))
            try:
                return work(transaction)
            finally:
                self._undo(wire)

        return self._twice(once)

    def write(self, work: Callable[[PostgresTransaction], T], ticket: Ticket) -> T:
        """Run `work` atomically.

        It is run again after a deadlock or a lost connection, until the ticket is over; when the
        answer to a commit was lost, the log tells whether it was committed.
        """
        pause = _FIRST_PAUSE
        while True:
            try:
                return self._write(work, ticket)
            except psycopg.Error as error:
                fault = self._fault(error)
                ticket.reason = fault.reason
                if not fault.again or ticket.over.wait(pause):
                    raise fault.refusal(maybe_applied=False) from error
            pause = min(_LONGEST_PAUSE, 2 * pause)

    def close(self) -> None:
        """Close the connection."""
        if self._wire is not None:
            with suppress(psycopg.Error):
                self._wire.close()
            self._wire = None

    def _write(self, work: Callable[[PostgresTransaction], T], ticket: Ticket) -> T:
        wire = self._open()
        transaction = PostgresTransaction(wire)
        transaction.begin(*self._link.begin(snapshot=False))
        try:
            ticket.begin()
            answer = work(transaction)
        except BaseException:
            self._undo(wire)
            raise
        try:
            committed = transaction.commit()
        except psycopg.Error as error:
            fault = judge(error)
            if fault is None or not fault.lost:
                self._undo(wire)
                raise
            self._lose(error)
            committed = self._find_out(transaction, ticket)
        if not committed:
            raise psycopg.OperationalError("The transaction was undone.")
        return answer

    def _find_out(self, transaction: PostgresTransaction, ticket: Ticket) -> bool:
        """Return whether a commit whose answer was lost was made.

        What told of no event can be done again and changes nothing more.
        """
        pause = _FIRST_PAUSE
        while transaction.told:
            try:
                wire = self._open()
                wire.send("BEGIN")
                wire.send(SQL["hold_log"])
                found = PostgresTransaction(wire).many("appended", transaction.told)
                self._undo(wire)
            except psycopg.Error as error:
                fault = self._fault(error)
                ticket.reason = fault.reason
                if ticket.over.wait(pause):
                    raise fault.refusal(maybe_applied=True) from error
                pause = min(_LONGEST_PAUSE, 2 * pause)
            else:
                positions = [row[0] for row in found if row is not None]
                if len(positions) < len(transaction.told):
                    return False
                transaction.before = min(positions) - 1
                return True
        return False

    def _twice(self, work: Callable[[Wire], T]) -> T:
        """Run what only reads; once more where the connection was lost meanwhile."""
        fresh = self._wire is None
        try:
            return work(self._open())
        except psycopg.Error as error:
            fault = self._fault(error)
            if fresh or not fault.lost:
                raise fault.refusal(maybe_applied=False) from error
        return self._twice(work)

    def _open(self) -> Wire:
        if self._wire is None:
            self._wire = self._link.wire()
            if self._lost:
                self._lost = False
                _log.info("The connection to PostgreSQL is made again.")
        return self._wire

    def _undo(self, wire: Wire) -> None:
        """End a transaction that wrote nothing, or is to write nothing."""
        if wire.waiting:
            with suppress(psycopg.Error):
                wire.receive()
        try:
            wire.send("ROLLBACK")
            wire.receive()
        except psycopg.Error:
            self.close()

    def _fault(self, error: psycopg.Error) -> Fault:
        """Return what the error means, and let the connection go if it is lost; raise our own."""
        fault = judge(error)
        if fault is None:
            raise error
        if fault.lost:
            self._lose(error)
        return fault

    def _lose(self, error: psycopg.Error) -> None:
        self.close()
        if not self._lost:
            self._lost = True
            _log.warning("The connection to PostgreSQL is lost: %s", " ".join(str(error).split()))
