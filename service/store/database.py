"""The seam: everything that a database must do, on one page.

A dialect supplies named statements and a driver, never a decision. Work on a database is a plain
function of a `Transaction`: it runs in the driver's own thread, and no author's code can hold a
lock by keeping an event loop busy.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from service.domain.clock import Instant
from service.domain.events import Event

T = TypeVar("T")
Row = tuple[Any, ...]
Params = tuple[Any, ...]


class Transaction(Protocol):
    """Named statements inside one transaction."""

    @property
    def now(self) -> Instant:
        """Return the judging clock's instant: the same one throughout the transaction."""
        ...

    def lock(
        self, *, queues: Sequence[str], keys: Sequence[object], instances: Sequence[str]
    ) -> None:
        """Hold these until the end, in the one order that every transaction keeps.

        Call it once, before anything is written.
        """
        ...

    def all(self, name: str, params: Params = ()) -> list[Row]:
        """Run a statement and return its rows."""
        ...

    def one(self, name: str, params: Params = ()) -> Row | None:
        """Run a statement and return its first row, if there is one."""
        ...

    def many(self, name: str, params: Sequence[Params]) -> list[Row | None]:
        """Run a statement once for each of `params` and return each one's first row."""
        ...

    def every(self, name: str, params: Sequence[Params]) -> list[list[Row]]:
        """Run a statement once for each of `params` and return each one's rows."""
        ...

    def run(self, name: str, params: Sequence[Params]) -> None:
        """Run a statement that answers nothing once for each of `params`."""
        ...

    def append(self, events: Sequence[Params], mark: int) -> Callable[[], int]:
        """Write events at the end of the log, of which the last has this mark.

        It comes last: nobody else can append until the transaction has ended. What is returned
        tells the position before the first of them, and may be asked after the commit too, when
        it costs nothing; by then the other processes have been told.
        """
        ...

    def compose(self, text: str, params: Params) -> list[Row]:
        """Run a statement that was put together from named pieces of this dialect."""
        ...

    def piece(self, name: str) -> str:
        """Return the text of a named piece of this dialect."""
        ...

    def script(self, text: str) -> None:
        """Run the statements of a migration."""
        ...

    def savepoint(self) -> AbstractContextManager[None]:
        """Undo what the block wrote if it raises."""
        ...


Work = Callable[[Transaction], T]
Heard = Callable[[int, Sequence[Event]], None]
"""Takes the log position that was reached, and the events up to it where they came along."""


class Session(Protocol):
    """A connection of its own for a thread that has no event loop."""

    def transaction(self, work: Work[T]) -> T:
        """Run `work` atomically; raises `Unavailable`."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class Database(Protocol):
    """A database, opened."""

    async def fetch(self, name: str, params: Params = ()) -> list[Row]:
        """Return the rows of one statement on its own. Raises `Unavailable`."""
        ...

    async def read(self, work: Work[T]) -> T:
        """Run `work` on one snapshot; it may write nothing. Raises `Unavailable`."""
        ...

    async def transaction(self, work: Work[T]) -> T:
        """Run `work` atomically, on disk when this returns.

        Raises `Unavailable` with what is known of whether it was applied.
        """
        ...

    def listen(self, heard: Heard) -> Callable[[], None] | None:
        """Call `heard` in the running loop soon after a commit that wrote events, by whomever.

        Returns what ends that; or None: this database doesn't call, ask `committed` now and then.
        """
        ...

    def committed(self) -> int:
        """Return the latest log position that is known here, without waiting."""
        ...

    def session(self) -> Session:
        """Open a connection for a thread of the caller's; call it in that thread."""
        ...

    async def close(self) -> None:
        """Finish what is under way and close every connection."""
        ...
