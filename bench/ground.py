"""The ground that the benches stand on: a kind of database, and what is measured differently there.

The benches are the same on each; what a ground brings along is how a database is made and filled,
the limits of what the machine can do with one, and the table of standards.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bench.standards import Standards
from bench.turns import Measure

if TYPE_CHECKING:
    from bench.plan import Plan


@dataclass(frozen=True, slots=True)
class Tap:
    """A way to a database; its statements are counted where that can be done from outside."""

    url: str
    statements: Callable[[], int] | None = None


class Ground(Protocol):
    """A kind of database."""

    @property
    def title(self) -> str:
        """Return its name and release, and what makes it durable."""
        ...

    @property
    def standards(self) -> Standards:
        """Return what its figures are judged by."""
        ...

    def new_database(self, name: str) -> str:
        """Return the URL of a database that is new and empty."""
        ...

    def drop(self, url: str) -> None:
        """Take a database away that nobody uses any more."""
        ...

    def close(self) -> None:
        """Take away every database that was made."""
        ...

    def limits(self, plan: "Plan") -> AbstractAsyncContextManager[Mapping[str, Measure]]:
        """Open what the limits of the machine are measured on."""
        ...

    def backlogs(self, plan: "Plan") -> AbstractAsyncContextManager[Mapping[str, Measure]]:
        """Open what runs backlogs down, as it is done on such a database."""
        ...

    def commits(self, url: str) -> AbstractAsyncContextManager[Measure]:
        """Connect what makes a single durable commit; it returns how long that took, in ms."""
        ...

    def tap(self, url: str) -> AbstractAsyncContextManager[Tap]:
        """Open a way to a database for one process."""
        ...

    def fill_with_finished(self, url: str, total: int) -> None:
        """Give an empty database completed instances, and their events, of the last 20 days."""
        ...

    def fill_with_waiting(self, url: str, total: int) -> None:
        """Give an empty database pending instances in ten queues that nobody here empties.

        Half are of a workflow that this process knows, in queues that are paused; half of one that
        it doesn't know.
        """
        ...

    def empty_queue(self, url: str) -> None:
        """Take away what was enqueued for nobody, so that each turn finds the same."""
        ...
