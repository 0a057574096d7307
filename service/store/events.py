"""The log, read."""

from collections.abc import Sequence

from service.domain.cursor import LogCursor
from service.domain.errors import CursorExpired, InvalidCursor
from service.domain.events import Event, mark_of
from service.domain.interest import Interest
from service.domain.plain import can_be_kept
from service.store import records
from service.store.database import Database, Row, Transaction

_STRETCH = 1000


class EventLog:
    """Reads the log, at positions that are contiguous and in commit order."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def head(self) -> LogCursor:
        """Return where the log ends now."""
        head, mark, _, _ = _state(await self._database.fetch("head"))
        return LogCursor(head, mark)

    async def oldest(self) -> int:
        """Return the position just before the oldest event that is left."""
        _, _, pruned, _ = _state(await self._database.fetch("head"))
        return pruned

    async def resolve(self, cursor: LogCursor) -> int:
        """Return the cursor's position; raises `InvalidCursor` or `CursorExpired`."""
        return await self._database.read(lambda tx: _resolve(tx, cursor))

    async def after(
        self, position: int, interest: Interest, limit: int
    ) -> tuple[Sequence[Event], int]:
        """Return matches after the position, and up to where the log was searched.

        Raises `CursorExpired` when events after the position were pruned.
        """
        return await self._database.read(lambda tx: _after(tx, position, interest, limit))

    async def of_instance(self, instance_id: str, after: int, limit: int) -> Sequence[Event]:
        """Return the instance's events after the position, in order."""
        if not can_be_kept(instance_id):
            return []
        rows = await self._database.fetch("events_of_instance", (instance_id, after, limit))
        return [records.event(row) for row in rows]


def _state(rows: Sequence[Row]) -> Row:
    if not rows:
        raise LookupError("The log has no row: the database was not migrated.")
    return rows[0]


def _resolve(tx: Transaction, cursor: LogCursor) -> int:
    head, head_mark, pruned, origin = _state(tx.all("head"))
    position = cursor.position
    if position == head:
        mark = head_mark
    elif position > head:
        raise InvalidCursor(
            "The cursor is past the end of this log: it comes from another database, or from "
            "before a restore. Read the state anew and follow from its cursor."
        )
    elif position < pruned:
        raise _expired()
    elif position == 0:
        mark = origin
    else:
        row = tx.one("event_at", (position,))
        if row is None:
            raise _expired()
        mark = mark_of(row[0], row[1], row[2])
    if mark != cursor.mark:
        raise InvalidCursor(
            "The cursor is of another history than this log's: it comes from another database, or "
            "from before a restore. Read the state anew and follow from its cursor."
        )
    return position


def _after(
    tx: Transaction, position: int, interest: Interest, limit: int
) -> tuple[Sequence[Event], int]:
    head, _, pruned, _ = _state(tx.all("head"))
    if position < pruned:
        raise _expired()
    if interest.instance_id is not None and not can_be_kept(interest.instance_id):
        return [], head
    if interest.instance_id is not None:
        rows = tx.all("events_of_instance", (interest.instance_id, position, limit))
        searched = rows[-1][-1] if len(rows) == limit else head
    else:
        searched = min(head, position + _STRETCH)
        rows = tx.all("events_after", (position, searched))
    found = [event for event in map(records.event, rows) if interest.matches(event)]
    if len(found) > limit:
        found = found[:limit]
        searched = found[-1].position
    return found, max(searched, position)


def _expired() -> CursorExpired:
    return CursorExpired(
        "The events after the cursor were pruned. Read the state anew and follow from its cursor, "
        'or give "" to start at the oldest event left.'
    )
