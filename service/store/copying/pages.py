"""Tables read in stretches of bounded size, in the order of their keys, alike on every database."""

from collections.abc import AsyncGenerator, Sequence

from service.store.copying.tables import Table
from service.store.database import Database, Params, Row, Transaction

_MOST_ROWS = 1_000
_FIRST_ROWS = 16
_BYTES = 4 << 20


async def pages(
    database: Database, table: Table, after: Params | None = None
) -> AsyncGenerator[list[Row]]:
    """Yield the rows after a key: a page is 4 MiB at most, or a single row that is larger."""
    after, limit = after or table.start, _FIRST_ROWS
    while rows := await database.read(lambda tx, a=after, n=limit: _page(tx, table, a, n)):
        yield rows
        after = table.key(rows[-1])
        limit = min(2 * len(rows), _MOST_ROWS)


def _page(tx: Transaction, table: Table, after: Params, limit: int) -> list[Row]:
    if table.weigh is not None:
        limit = _fitting(tx.all(table.weigh, (*after, limit)))
    return tx.all(table.page, (*after, limit))


def _fitting(weights: Sequence[Row]) -> int:
    """Return how many of the rows fit into a page: at least one, if there is one."""
    total = 0
    for number, (weight,) in enumerate(weights):
        total += weight
        if total > _BYTES:
            return max(number, 1)
    return len(weights)
