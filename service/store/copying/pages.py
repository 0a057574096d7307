"""Tables read in stretches of bounded size, in the order of their keys, alike on every database."""

from collections.abc import AsyncGenerator, Sequence
from typing import Any

from service.store.copying.tables import Table
from service.store.database import Database, Row, Transaction

_MOST_ROWS = 1_000
_FIRST_ROWS = 16
_BYTES = 4 << 20


async def pages(
    database: Database, table: Table, most: int, after: Sequence[Any] | None = None
) -> AsyncGenerator[list[Row]]:
    """Yield up to `most` rows after a key; about 4 MiB at a time, unless they grow at once.

    A table that grows meanwhile is not chased.
    """
    limit = min(_FIRST_ROWS, most)
    while limit > 0:
        rows = await database.read(lambda tx, a=after, n=limit: _page(tx, table, a, n))
        if not rows:
            return
        yield rows
        most -= len(rows)
        after = key_of(table, rows[-1])
        average = sum(map(_size, rows)) // len(rows) + 1
        limit = min(most, max(1, min(2 * limit, _MOST_ROWS, _BYTES // average)))


async def count(database: Database, table: Table) -> int:
    """Return how many rows there are."""
    rows = await database.read(lambda tx: tx.compose(_text(tx, "copy_count", table), ()))
    number: int = rows[0][0]
    return number


async def last_key(database: Database, table: Table) -> Sequence[Any] | None:
    """Return the greatest key, or None of an empty table."""
    rows = await database.read(lambda tx: tx.compose(_text(tx, "copy_last_key", table), ()))
    return rows[0] if rows else None


def key_of(table: Table, row: Row) -> Sequence[Any]:
    """Return the key of a row."""
    return [row[table.columns.index(column)] for column in table.key]


def _page(tx: Transaction, table: Table, after: Sequence[Any] | None, limit: int) -> list[Row]:
    piece = "copy_first_page" if after is None else "copy_page"
    flags = [index for index, column in enumerate(table.columns) if column in table.flags]
    rows = tx.compose(_text(tx, piece, table), (*(after or ()), limit))
    return [_plain(row, flags) for row in rows] if flags else rows


def _plain(row: Row, flags: Sequence[int]) -> Row:
    """Return the row with true and false in the place of SQLite's numbers."""
    values = list(row)
    for index in flags:
        values[index] = bool(values[index])
    return tuple(values)


def _text(tx: Transaction, piece: str, table: Table) -> str:
    return (
        tx.piece(piece)
        .replace("{table}", table.name)
        .replace("{columns}", ", ".join(table.columns))
        .replace("{key}", ", ".join(table.key))
        .replace("{backward}", ", ".join(f"{column} DESC" for column in table.key))
        .replace("{marks}", ", ".join("?" for _ in table.key))
    )


def _size(row: Row) -> int:
    return sum(len(value) if isinstance(value, str) else 8 for value in row)
