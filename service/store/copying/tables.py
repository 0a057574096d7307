"""What a database holds, table by table, in the order in which it can be written."""

from collections.abc import Sequence
from dataclasses import dataclass

from service.store.database import Params, Row

_LOWEST = -(2**63)


@dataclass(frozen=True, slots=True)
class Table:
    """A table, and the statements that read a page of it, weigh one, and write one.

    `start` is before every key; a table without `weigh` has small rows only.
    """

    name: str
    page: str
    weigh: str | None
    put: str
    start: Params

    def key(self, row: Row) -> Params:
        """Return the key of a row, which is what it begins with."""
        return row[: len(self.start)]

    def last_key(self, reached: Row) -> Params:
        """Return this table's part of the last keys of all tables; `start` when it is empty."""
        first = sum(len(table.start) for table in TABLES[: TABLES.index(self)])
        key = reached[first : first + len(self.start)]
        return self.start if key[0] is None else key


TABLES: Sequence[Table] = (
    Table("instances", "page_instances", "weigh_instances", "copy_instances", ("",)),
    Table("failures", "page_failures", "weigh_failures", "copy_failures", ("", _LOWEST)),
    Table("events", "page_events", "weigh_events", "copy_events", (_LOWEST,)),
    Table("queues", "page_queues", None, "copy_queues", ("",)),
    Table("hooks", "page_hooks", "weigh_hooks", "copy_hooks", (_LOWEST,)),
    Table("requests", "page_requests", "weigh_requests", "copy_requests", ("",)),
)
"""As `copy_counts` and `copy_reached` tell of them too."""
