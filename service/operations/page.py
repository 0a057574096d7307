"""Pages of a list: which part is asked for, and what is given."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from service.domain.errors import Fault, InvalidParams, LimitExceeded

T = TypeVar("T")

DEFAULT_SIZE = 50
MAX_SIZE = 500


@dataclass(slots=True, kw_only=True)
class Window:
    """The part of a list that is asked for: `first` after a cursor, or `last` before one.

    An empty cursor means none. Raises InvalidParams for a size that makes no sense, LimitExceeded
    for one above 500.
    """

    first: int | None = None
    after: str | None = None
    last: int | None = None
    before: str | None = None

    def __post_init__(self) -> None:
        self.after = self.after or None
        self.before = self.before or None
        if self.first is not None and self.last is not None:
            fault = Fault(["last"], "give either `first` or `last`, not both")
            raise InvalidParams([fault])
        _check("first", self.first)
        _check("last", self.last)

    @property
    def backward(self) -> bool:
        """Return whether the page is taken from the end of the list."""
        return self.last is not None

    @property
    def size(self) -> int:
        """Return how many rows at most are asked for; 50 if it was not said."""
        asked = self.last if self.backward else self.first
        return DEFAULT_SIZE if asked is None else asked


@dataclass(frozen=True, slots=True)
class Edge(Generic[T]):
    """One row of a page, and its place in the list."""

    node: T
    cursor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[T]):
    """A part of a list, in the list's order. `cursor` is the log's head, where a list has it."""

    edges: Sequence[Edge[T]]
    has_next: bool
    has_previous: bool
    cursor: str = ""

    @property
    def nodes(self) -> Sequence[T]:
        """Return the rows."""
        return [edge.node for edge in self.edges]


def page_of(
    window: Window, rows: Sequence[T], cursor_of: Callable[[T], str], cursor: str = ""
) -> Page[T]:
    """Return the page of the rows, which were read in the list's order with one more than asked.

    The one more tells that there is a further page: it is the last row, or the first one when the
    window is taken from the end.
    """
    more = len(rows) > window.size
    if window.backward:
        kept = rows[len(rows) - window.size :] if more else rows
        has_next, has_previous = window.before is not None, more
    else:
        kept = rows[: window.size]
        has_next, has_previous = more, window.after is not None
    return Page(
        edges=[Edge(row, cursor_of(row)) for row in kept],
        has_next=has_next,
        has_previous=has_previous,
        cursor=cursor,
    )


def _check(name: str, size: int | None) -> None:
    if size is None:
        return
    if size < 0:
        raise InvalidParams([Fault([name], f"{size} is negative; give 0 to {MAX_SIZE}")])
    if size > MAX_SIZE:
        raise LimitExceeded(
            f"`{name}` is {size:,}; a page has at most {MAX_SIZE} rows. Ask for fewer, and go on "
            f"with `{'after' if name == 'first' else 'before'}` and the cursors of `pageInfo`."
        )
