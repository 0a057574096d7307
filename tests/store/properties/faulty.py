"""A database whose next transaction goes wrong, at the moment that a test chose."""

from collections.abc import Callable
from enum import StrEnum
from typing import TypeVar

from service.domain.errors import Unavailable
from service.store.database import Database, Heard, Params, Row, Session, Transaction, Work

T = TypeVar("T")


class Fault(StrEnum):
    """When a transaction goes wrong: before it began, before its commit, or after it."""

    REFUSED = "refused"
    UNDONE = "undone"
    UNHEARD = "unheard"


class FaultyDatabase:
    """Does what the real one does, but for one transaction each time `fault` is set."""

    def __init__(self, real: Database) -> None:
        self.real = real
        self.fault: Fault | None = None

    async def fetch(self, name: str, params: Params = ()) -> list[Row]:
        """Read one statement."""
        return await self.real.fetch(name, params)

    async def read(self, work: Work[T]) -> T:
        """Read."""
        return await self.real.read(work)

    async def transaction(self, work: Work[T]) -> T:
        """Run `work`, or let it be lost, or lose its answer."""
        fault, self.fault = self.fault, None
        if fault is Fault.REFUSED:
            raise Unavailable("Busy.", maybe_applied=False)
        if fault is Fault.UNDONE:
            return await self.real.transaction(lambda tx: _torn(tx, work))
        answer = await self.real.transaction(work)
        if fault is Fault.UNHEARD:
            raise Unavailable("Nobody knows.", maybe_applied=True)
        return answer

    def listen(self, heard: Heard) -> Callable[[], None] | None:
        """Listen."""
        return self.real.listen(heard)

    def committed(self) -> int:
        """Return the log position that was announced last."""
        return self.real.committed()

    def session(self) -> Session:
        """Open a connection for the calling thread."""
        return self.real.session()

    async def close(self) -> None:
        """Close the real one."""
        await self.real.close()


def _torn(tx: Transaction, work: Work[T]) -> T:
    work(tx)
    raise Unavailable("Torn.", maybe_applied=False)
