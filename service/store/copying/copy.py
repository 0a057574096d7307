"""The copy: checked before, table by table, checked after; it goes on where it was cut off."""

from collections.abc import Callable
from hashlib import blake2b

from pydantic_core import to_json

from service.domain.errors import InvalidState
from service.store.copying.pages import count, key_of, last_key, pages
from service.store.copying.tables import TABLES, Table
from service.store.database import Database, Row, Transaction

Progress = Callable[[str, str, int, int], None]
"""Takes what is done ("copied" or "checked"), the table, and how many rows of how many."""


async def copy(source: Database, target: Database, progress: Progress) -> int:
    """Copy everything, and return how many rows that was; the source is only read.

    What was cut off goes on where it was. Raises `InvalidState` when the source is in use, the
    target holds something else, or the two differ at the end.
    """
    log = await _at_rest(source)
    await _begin(target, log)
    total = 0
    for table in TABLES:
        total += await _copy_table(source, target, table, progress)
    (hook_ids,) = await source.fetch("copy_hook_ids")
    await target.transaction(lambda tx: _finish_rows(tx, log, hook_ids))
    await _check_unmoved(source, log)
    for table in TABLES:
        await _check(source, target, table, progress)
    await _check_unmoved(source, log)
    await target.transaction(lambda tx: tx.compose(tx.piece("copy_end"), ()))
    return total


async def _at_rest(source: Database) -> Row:
    """Return where the log stands; refuse a source that somebody works on."""
    if (await source.fetch("copy_under_way"))[0][0]:
        raise InvalidState("A copy into the source has not ended: finish it first.")
    held: int = (await source.fetch("copy_held"))[0][0]
    if held:
        raise InvalidState(
            f"{held} instances of the source run under a lease. Stop every server and worker that "
            "uses it; of those that were killed the leases end by themselves."
        )
    return (await source.fetch("head"))[0]


async def _check_unmoved(source: Database, log: Row) -> None:
    if await _at_rest(source) != log:
        raise InvalidState(
            "Something was written to the source while it was copied. Stop every process that uses "
            "it, empty the target (drop it and make it anew), and copy again."
        )


async def _begin(target: Database, log: Row) -> None:
    head, _, _, origin = log
    if (await target.fetch("copy_under_way"))[0][0]:
        if (await target.fetch("copy_noted"))[0] != (head, origin):
            raise InvalidState(
                "A copy of another source, or of another state of this one, has begun there. Empty "
                "the target (drop it and make it anew), and copy again."
            )
        return
    for table in TABLES:
        if await count(target, table):
            raise InvalidState(f"The target is not empty: {table.name} has rows. Give a new one.")

    def begin(tx: Transaction) -> None:
        tx.compose(tx.piece("copy_begin"), ())
        tx.run("copy_note", [(head, origin)])

    await target.transaction(begin)


async def _copy_table(source: Database, target: Database, table: Table, progress: Progress) -> int:
    total = await count(source, table)
    done = await count(target, table)
    progress("copied", table.name, done, total)
    async for rows in pages(source, table, total - done, await last_key(target, table)):
        await target.transaction(lambda tx, rows=rows: _put(tx, table, rows))
        done += len(rows)
        progress("copied", table.name, done, total)
    return total


def _put(tx: Transaction, table: Table, rows: list[Row]) -> None:
    try:
        tx.run(table.put, rows)
    except ValueError as error:
        raise InvalidState(
            f"The target can't hold a row of {table.name}, {_odd(table, rows)}: {error}"
        ) from error


def _odd(table: Table, rows: list[Row]) -> str:
    """Return the key of the first row with text that not every database holds."""
    for row in rows:
        if any(isinstance(value, str) and "\0" in value for value in row):
            return " ".join(map(repr, key_of(table, row)))
    return "one of the next"


def _finish_rows(tx: Transaction, log: Row, hook_ids: Row) -> None:
    tx.run("copy_set_log", [log])
    tx.run("copy_set_hook_ids", [hook_ids])


async def _check(source: Database, target: Database, table: Table, progress: Progress) -> None:
    total = await count(source, table)
    sums = [await _digest(each, table, total, progress) for each in (source, target)]
    if sums[0] != sums[1]:
        raise InvalidState(
            f"The copies of {table.name} differ. Stop every process that uses the source, empty "
            "the target (drop it and make it anew), and copy again."
        )


async def _digest(database: Database, table: Table, total: int, progress: Progress) -> bytes:
    """Return a checksum over all columns of all rows, in the order of their keys."""
    digest, done = blake2b(digest_size=16), 0
    async for rows in pages(database, table, total):
        for row in rows:
            digest.update(to_json(row))
        done += len(rows)
        progress("checked", table.name, done, total)
    return digest.digest()
