"""Rows arrive as they are, whatever is in them, and are read in pages that fit."""

import asyncio
import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.store.copying.copy import copy
from service.store.copying.pages import pages
from service.store.copying.refusal import CannotCopy
from service.store.copying.tables import TABLES
from service.store.database import Database, Params, Row
from service.store.statements import load
from tests.clock import FakeClock
from tests.services import DATABASES, Place, Process, lent
from tests.store.copying.content import content, opened, unseen

EVENTS, REQUESTS = TABLES[2], TABLES[5]
OURS = {"copying", "log", "migrations", "test_clock"}
LISTED = {
    "sqlite": "SELECT t.name, c.name FROM sqlite_master AS t, pragma_table_info(t.name) AS c "
    "WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'",
    "postgres": "SELECT table_name, column_name FROM information_schema.columns "
    "WHERE table_schema = 'public'",
}
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
WHOLE = st.integers(-(2**63), 2**63 - 1)
EVENT = st.tuples(
    *[st.integers(1, 2**63 - 1)],
    *[TEXT] * 5,
    *[st.none() | TEXT] * 2,
    st.none() | WHOLE,
    *[st.none() | TEXT] * 2,
    WHOLE,
)


def lists(rows: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Row]]:
    return st.lists(rows, max_size=40, unique_by=lambda row: row[0])


@pytest.mark.parametrize("to", DATABASES)
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    events=lists(EVENT),
    requests=lists(st.tuples(TEXT.filter(bool), TEXT, TEXT, WHOLE)),
)
def test_odd_rows_arrive_as_they_are(
    request: pytest.FixtureRequest,
    dialect: str,
    to: str,
    events: list[Row],
    requests: list[Row],
) -> None:
    async def work() -> None:
        with lent(request, dialect) as here, lent(request, to) as there:
            places = [Place(url, FakeClock()) for url in (here, there)]
            async with opened(places[0]) as one, opened(places[1]) as other:
                await put_into(one, EVENTS.put, events)
                await put_into(one, REQUESTS.put, requests)
                await copy(one, other, unseen)
                found = await content(other)
                assert found["events"] == sorted(events)
                assert found["requests"] == sorted(requests, key=lambda row: row[0].encode())

    asyncio.run(work())


async def put_into(database: Database, statement: str, rows: Sequence[Params]) -> None:
    await database.transaction(lambda tx: tx.run(statement, rows))


async def test_a_page_takes_bounded_memory(process: Process) -> None:
    large = "x" * (1 << 20)
    rows = [(f"{n:04d}", "f", "{}" if n < 900 else large, n) for n in range(912)]
    rows[905] = ("0905", "f", "y" * (5 << 20), 905)
    await put_into(process.database.database, REQUESTS.put, rows)
    read = [page async for page in pages(process.database.database, REQUESTS)]
    assert [row for page in read for row in page] == rows
    sizes = [sum(len(row[2]) for row in page) for page in read]
    assert max(sizes) == 5 << 20
    assert all(size <= 4 << 20 or len(page) == 1 for size, page in zip(sizes, read, strict=True))
    assert max(map(len, read)) > 400


async def test_every_column_of_every_table_is_copied(process: Process, dialect: str) -> None:
    found: dict[str, set[str]] = {}
    for table, column in await process.rows(LISTED[dialect]):
        if table not in OURS:
            found.setdefault(table, set()).add(column)
    statements = load(f"service.store.{dialect}")
    for table in TABLES:
        put = re.search(r"\((.*?)\)", statements[table.put], re.DOTALL)
        page = re.search(r"SELECT (.*?)\s+FROM", statements[table.page], re.DOTALL)
        assert put, table.name
        assert page, table.name
        columns = [each.strip() for each in put[1].split(",")]
        assert set(columns) == found[table.name]
        assert [each.strip().removesuffix("::int") for each in page[1].split(",")] == columns
    assert {table.name for table in TABLES} == set(found)


async def test_text_that_the_target_can_not_hold_is_named_and_nothing_else_is_lost(
    request: pytest.FixtureRequest,
) -> None:
    rows = [(f"key-{n:03d}", "a", "b", n) for n in range(300)]
    spoilt = [*rows[:217], ("key-217", "a", "b\0c", 217), *rows[218:]]
    with lent(request, "sqlite") as here, lent(request, "postgres") as there:
        places = [Place(url, FakeClock()) for url in (here, there)]
        async with opened(places[0]) as one, opened(places[1]) as other:
            await put_into(one, REQUESTS.put, spoilt)
            for _ in range(2):
                with pytest.raises(CannotCopy, match=r"row 'key-217' of requests: .*NUL"):
                    await copy(one, other, unseen)
                assert (await content(other))["requests"] == rows[:217]
            await one.transaction(
                lambda tx: tx.compose(
                    "UPDATE requests SET answer = ? WHERE id = ?", ("b", "key-217")
                )
            )
            await copy(one, other, unseen)
            assert (await content(other))["requests"] == rows
