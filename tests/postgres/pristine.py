"""What a database was like when it had just been prepared, and how a used one is made so again.

Rows are deleted, and those that were there at first put back; sequences are set. That takes a few
milliseconds where a new copy takes 30, or 300 on a busy disk. It is not done to a database whose
tables, functions, settings or statistics were changed, or that has grown: that one is given up.
"""

from dataclasses import dataclass
from io import BytesIO

import asyncpg

LARGEST = 4 << 20
"""How many bytes its tables and indexes may take."""

_FIRST_OURS = 16384  # the server's own objects have lower ids
_CATALOGUES = {
    "pg_attrdef": "oid",
    "pg_attribute": "attrelid",
    "pg_class": "oid",
    "pg_constraint": "oid",
    "pg_event_trigger": "oid",
    "pg_extension": "oid",
    "pg_index": "indexrelid",
    "pg_policy": "oid",
    "pg_proc": "oid",
    "pg_publication": "oid",
    "pg_rewrite": "oid",
    "pg_sequence": "seqrelid",
    "pg_statistic": "starelid",
    "pg_statistic_ext": "oid",
    "pg_trigger": "oid",
    "pg_type": "oid",
}
_SHAPES = " UNION ALL ".join(
    f"SELECT '{name} ' || {oid} || ' ' || xmin AS part FROM {name} WHERE {oid} >= {_FIRST_OURS}"  # noqa: S608 - names from above
    for name, oid in _CATALOGUES.items()
)
_SHAPE = f"""
SELECT md5(string_agg(part, ',' ORDER BY part)) FROM (
  {_SHAPES}
  UNION ALL
  SELECT 'pg_namespace ' || nspname FROM pg_namespace WHERE nspname !~ '^pg_(toast_)?temp_'
  UNION ALL
  SELECT 'pg_db_role_setting ' || setconfig::text FROM pg_db_role_setting AS setting
  JOIN pg_database ON pg_database.oid = setdatabase WHERE datname = current_database()
) AS parts
"""  # noqa: S608 - the same
_SIZE = f"""
SELECT coalesce(sum(pg_relation_size(oid)), 0) FROM pg_class
WHERE relkind IN ('r', 'i', 't') AND oid >= {_FIRST_OURS}
"""  # noqa: S608 - the same
_TABLES = f"""
SELECT nspname, relname, pg_class.oid::regclass::text AS quoted
FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
WHERE relkind = 'r' AND pg_class.oid >= {_FIRST_OURS} AND nspname !~ '^pg_'
"""  # noqa: S608 - the same
_SEQUENCES = """
SELECT format('SELECT setval(%L, %s, %L)', format('%I.%I', schemaname, sequencename),
              coalesce(last_value, start_value), last_value IS NOT NULL) AS reset
FROM pg_sequences
"""


@dataclass(frozen=True)
class Pristine:
    """The shape of a database, its first rows, and what to run to get back to them."""

    shape: str
    rows: dict[tuple[str, str], bytes]
    reset: str

    @classmethod
    async def of(cls, url: str) -> "Pristine":
        """Remember the database at a URL."""
        connection = await asyncpg.connect(url)
        try:
            tables = await connection.fetch(_TABLES)
            deletes = [f"DELETE FROM {table['quoted']}" for table in tables]  # noqa: S608 - quoted
            resets = [row["reset"] for row in await connection.fetch(_SEQUENCES)]
            rows: dict[tuple[str, str], bytes] = {}
            for schema, table, quoted in tables:
                if await connection.fetchval(f"SELECT EXISTS (TABLE {quoted})"):
                    rows[schema, table] = await _copied(connection, schema, table)
            shape = await connection.fetchval(_SHAPE)
            return cls(shape, rows, ";".join(("SELECT", *deletes, *resets)))
        finally:
            await connection.close()

    async def restore(self, url: str) -> bool:
        """Make the database at a URL what it was; tells whether it could be."""
        fast = {"session_replication_role": "replica", "synchronous_commit": "off"}
        connection = await asyncpg.connect(url, server_settings=fast)
        try:
            shape, size = await connection.fetchrow(f"SELECT ({_SHAPE}), ({_SIZE})") or (None, 0)
            if shape != self.shape or size > LARGEST:
                return False
            async with connection.transaction():
                await connection.execute(self.reset)
                for (schema, table), rows in self.rows.items():
                    await connection.copy_to_table(
                        table, schema_name=schema, source=BytesIO(rows), format="binary"
                    )
            return True
        finally:
            await connection.close()


async def _copied(connection: asyncpg.Connection, schema: str, table: str) -> bytes:
    rows = BytesIO()
    await connection.copy_from_table(table, schema_name=schema, output=rows, format="binary")
    return rows.getvalue()
