"""Instances, as their callers read them."""

from collections.abc import Sequence

from service.domain.cursor import encode
from service.domain.instance import Failure, Instance
from service.domain.listing import InstanceFilter
from service.domain.plain import can_be_kept
from service.store import records
from service.store.database import Database, Transaction
from service.store.listing import Stretch, list_instances


class Instances:
    """Reads instances."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, instance_id: str) -> Instance | None:
        """Return the instance with the log's head as its cursor, if there is one."""
        if not can_be_kept(instance_id):
            return None
        rows = await self._database.fetch("get_instance", (instance_id,))
        return records.with_cursor(rows[0]) if rows else None

    async def get_many(self, ids: Sequence[str]) -> list[Instance | None]:
        """Return the instance of each id, or None."""
        asked = [each for each in ids if can_be_kept(each)]
        rows = await self._database.read(
            lambda tx: tx.many("get_instance", [(each,) for each in asked])
        )
        found = dict(zip(asked, rows, strict=True))
        return [
            None if (row := found.get(each)) is None else records.with_cursor(row) for each in ids
        ]

    async def list(
        self, wanted: InstanceFilter, stretch: Stretch
    ) -> tuple[Sequence[Instance], str]:
        """Return a stretch of a list, and the log's head of the same moment as a cursor."""

        def work(tx: Transaction) -> tuple[Sequence[Instance], str]:
            rows = list_instances(tx, wanted, stretch)
            head = tx.one("head")
            cursor = encode(head[0], head[1]) if head else ""
            for row in rows:
                row.cursor = cursor
            return rows, cursor

        return await self._database.read(work)

    async def failures(self, instance_id: str, after: int, limit: int) -> Sequence[Failure]:
        """Return the failed attempts under fences after `after`, the first ones first."""
        if not can_be_kept(instance_id):
            return []
        rows = await self._database.fetch("list_failures", (instance_id, after, limit))
        return [records.failure(row) for row in rows]
