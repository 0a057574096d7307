"""Where a copy goes to: empty at first, and marked until the copy has ended."""

from collections.abc import Sequence

from service.domain.errors import WorkflowError
from service.store.copying.refusal import EMPTY_IT, CannotCopy
from service.store.copying.tables import Table
from service.store.database import Database, Params, Row, Transaction

_ALONE = ("copy",)
"""The key that whoever copies holds while it writes: of two copies one finds the other's rows."""


async def begin(target: Database, log: Row) -> bool:
    """Mark that a copy is under way, of a log that stands there.

    Returns False when it has ended already. Raises `CannotCopy`, with nothing changed, for a
    target that has anything else in it.
    """
    return await target.transaction(lambda tx: _begin(tx, log))


def _begin(tx: Transaction, log: Row) -> bool:
    _hold(tx)
    if tx.all("copy_under_way")[0][0]:
        if tx.all("copy_noted")[0] != log:
            raise CannotCopy(
                "A copy of another source, or of another state of this one, has begun there: "
                f"{EMPTY_IT}"
            )
        return True
    if tx.all("copy_filled") and tx.all("head")[0] == log:
        return False
    _check_empty(tx)
    tx.script(f"{tx.piece('copy_begin')};")
    _check_empty(tx)  # once more: nobody can write an event from here on
    tx.run("copy_note", [log])
    return True


def _check_empty(tx: Transaction) -> None:
    filled = ", ".join(row[0] for row in tx.all("copy_filled"))
    if filled:
        raise CannotCopy(f"The target is not empty: there are rows in {filled}. Give a new one.")


async def put(target: Database, table: Table, after: Params, rows: Sequence[Row]) -> None:
    """Write the rows that follow a key; raises `CannotCopy` that names a row which can't be."""
    try:
        await target.transaction(lambda tx: _put(tx, table, after, rows))
    except WorkflowError:
        raise
    except Exception as error:
        if len(rows) == 1:
            raise _impossible(table, rows[0], error) from error
        half = len(rows) // 2
        await put(target, table, after, rows[:half])
        await put(target, table, table.key(rows[half - 1]), rows[half:])


def _put(tx: Transaction, table: Table, after: Params, rows: Sequence[Row]) -> None:
    _hold(tx)
    there = table.last_key(tx.all("copy_reached")[0])
    if there == table.key(rows[-1]):
        return  # they were written, and the answer was lost
    if there != after:
        raise CannotCopy(
            f"Somebody else writes {table.name} to the target, maybe another copy. Let it end, "
            "and copy again."
        )
    tx.run(table.put, rows)


def _impossible(table: Table, row: Row, error: Exception) -> CannotCopy:
    key = " ".join(map(repr, table.key(row)))
    reason = str(error).partition("\n")[0]
    odd = any(isinstance(value, str) and "\0" in value for value in row)
    what = "it has text with NUL in it" if odd else reason
    return CannotCopy(
        f"The target can't hold the row {key} of {table.name}: {what}. The copy stands before it, "
        "and goes on when that row of the source is mended."
    )


async def finish(target: Database, log: Row, hook_ids: Row) -> None:
    """Put the log where it stands, and let the target be served."""

    def work(tx: Transaction) -> None:
        _hold(tx)
        if tx.all("copy_under_way")[0][0]:
            tx.script(f"{tx.piece('copy_end')};")
            tx.run("copy_set_log", [log])
            tx.run("copy_set_hook_ids", [hook_ids])

    await target.transaction(work)


def _hold(tx: Transaction) -> None:
    tx.lock(queues=(), keys=_ALONE, instances=())
