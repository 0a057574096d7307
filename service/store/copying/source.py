"""Where a copy comes from: it is only read, and must be at rest."""

from service.store.copying.refusal import EMPTY_IT, CannotCopy
from service.store.database import Database, Row


async def at_rest(source: Database) -> Row:
    """Return where the log stands; raises `CannotCopy` for a source that somebody works on."""
    held: int = (await source.fetch("copy_held"))[0][0]
    if held:
        raise CannotCopy(
            f"Instances of the source run under a lease ({held:,}). Stop every server and worker "
            "that uses it; of those that were killed the leases end by themselves."
        )
    return (await source.fetch("head"))[0]


async def check_unmoved(source: Database, log: Row) -> None:
    """Raise `CannotCopy` when the source is not at rest any more, or its log stands elsewhere."""
    await at_rest(source)
    await check_stands(source, log)


async def check_stands(source: Database, log: Row) -> None:
    """Raise `CannotCopy` when the source's log does not stand where it stood."""
    if (await source.fetch("head"))[0] != log:
        raise CannotCopy(
            "Something was written to the source while it was copied. Stop every server and worker "
            f"that uses it, {EMPTY_IT}"
        )
