"""The copy: checked before, table by table, checked after; it goes on where it was cut off."""

from collections.abc import Callable

from service.store.copying.comparing import same
from service.store.copying.pages import pages
from service.store.copying.refusal import EMPTY_IT, CannotCopy
from service.store.copying.source import at_rest, check_stands, check_unmoved
from service.store.copying.tables import TABLES, Table
from service.store.copying.target import begin, finish, put
from service.store.database import Database, Row

Progress = Callable[[str, str, int, int], None]
"""Takes what is done ("copied" or "checked"), the table, and how many rows of how many."""


async def copy(source: Database, target: Database, progress: Progress) -> int:
    """Copy everything, and return how many rows that was; the source is only read.

    What was cut off goes on where it was; what has ended is compared again. Raises `CannotCopy`
    when the source is in use, the target holds something else, or the two differ at the end.
    """
    log = await at_rest(source)
    unfinished = await begin(target, log)
    totals = dict(zip(TABLES, (await source.fetch("copy_counts"))[0], strict=True))
    if unfinished:
        await _copy_tables(source, target, log, progress, totals)
    await check_unmoved(source, log)
    for table, total in totals.items():
        if not await same(source, target, table, _telling(progress, table, total)):
            await check_unmoved(source, log)
            raise CannotCopy(_differ(table, unfinished=unfinished))
    await check_unmoved(source, log)
    if unfinished:
        await finish(target, log, (await source.fetch("copy_hook_ids"))[0])
    return sum(totals.values())


async def _copy_tables(
    source: Database, target: Database, log: Row, progress: Progress, totals: dict[Table, int]
) -> None:
    """Copy of each table the rows that come after the last one that is there."""
    counts = (await target.fetch("copy_counts"))[0]
    reached = (await target.fetch("copy_reached"))[0]
    for (table, total), done in zip(totals.items(), counts, strict=True):
        after = table.last_key(reached)
        progress("copied", table.name, done, total)
        async for rows in pages(source, table, after):
            await check_stands(source, log)
            await put(target, table, after, rows)
            after = table.key(rows[-1])
            done += len(rows)
            progress("copied", table.name, done, total)


def _telling(progress: Progress, table: Table, total: int) -> Callable[[int], None]:
    return lambda done: progress("checked", table.name, done, total)


def _differ(table: Table, *, unfinished: bool) -> str:
    if unfinished:
        return (
            f"The two are not the same in {table.name}. Stop every server and worker that uses "
            f"either, {EMPTY_IT}"
        )
    return f"The target is not empty: its {table.name} are not those of the source. Give a new one."
