"""Pages meet without a gap or a repetition, with nothing but what the schema gives."""

import time
from collections.abc import AsyncGenerator
from datetime import timedelta
from itertools import chain
from typing import Any

from service import Context, Retry, Workflows
from service.domain.listing import InstanceFilter, Order
from service.operations.page import Window
from tests.clock import FakeClock
from tests.scale import scaled
from tests.scenarios.inside import (
    Site,
    ended,
    enqueue,
    enqueue_many,
    history,
    services,
    site,
)
from tests.scenarios.past import fill_with_finished
from tests.scenarios.raw import is_sqlite, rows

INSTANCES = """query Q(
  $filter: WorkflowInstanceFilter, $orderBy: WorkflowInstanceOrder,
  $first: Int, $after: String, $last: Int, $before: String
) {
  workflowInstances(
    filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before
  ) {
    edges { node { instanceID } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}"""
OF_INSTANCE = """query Q($id: ID!, $first: Int, $after: String) {
  workflowInstance(instanceID: $id) {
    %s(first: $first, after: $after) {
      edges { cursor } pageInfo { hasNextPage endCursor }
    }
  }
}"""


def registry() -> Workflows:
    workflows = Workflows()

    @workflows.workflow(
        retry=Retry(max_attempts=20, backoff="fixed", base=timedelta(milliseconds=1))
    )
    async def fail(ctx: Context[None], params: None) -> None:
        raise ValueError("again")

    @workflows.workflow
    async def idle(ctx: Context[None], params: None) -> None: ...

    return workflows


async def forward(page: Site, **asked: Any) -> AsyncGenerator[list[str]]:
    """Yield the ids of each page, from the first to the last."""
    after = None
    while True:
        found = await page.data(INSTANCES, **asked, after=after)
        yield [edge["node"]["instanceID"] for edge in found["edges"]]
        if not found["pageInfo"]["hasNextPage"]:
            return
        after = found["pageInfo"]["endCursor"]


async def backward(page: Site, **asked: Any) -> AsyncGenerator[list[str]]:
    """Yield the ids of each page, from the last to the first."""
    before = None
    while True:
        found = await page.data(INSTANCES, **asked, before=before)
        yield [edge["node"]["instanceID"] for edge in found["edges"]]
        if not found["pageInfo"]["hasPreviousPage"]:
            return
        before = found["pageInfo"]["startCursor"]


async def test_bug_169_instances_of_one_moment_are_paged_exactly(database: str) -> None:
    async with services(database, registry(), clock=FakeClock(), worker=False) as (service,):
        made = await enqueue_many(service, "idle", [None] * 250)
        assert rows(database, "SELECT count(DISTINCT created_at) FROM instances") == [(1,)]
        for order in Order:
            chosen = InstanceFilter(names=["idle"], order=order)
            expected = made if order is Order.OLDEST_FIRST else made[::-1]
            seen: list[str] = []
            after = None
            for _ in range(13):
                found = await service.workflows.list(chosen, Window(first=20, after=after))
                seen += [node.id for node in found.nodes]
                after = found.edges[-1].cursor
                assert found.has_next == (len(seen) < 250)
            assert seen == expected
            seen = []
            before = None
            for _ in range(13):
                found = await service.workflows.list(chosen, Window(last=20, before=before))
                seen = [node.id for node in found.nodes] + seen
                before = found.edges[0].cursor
                assert found.has_previous == (len(seen) < 250)
            assert seen == expected


async def test_bug_171_page_info_leads_to_the_end_of_every_list(database: str) -> None:
    async with site(database, registry()) as page:
        made = await enqueue_many(page.service, "idle", [None] * 45)
        await ended(page.service, *made)
        for order, expected in (("OLDEST_FIRST", made), ("NEWEST_FIRST", made[::-1])):
            pages = [each async for each in forward(page, first=10, orderBy=order)]
            assert list(chain(*pages)) == expected
            assert [len(each) for each in pages] == [10, 10, 10, 10, 5]
            pages = [each async for each in backward(page, last=10, orderBy=order)]
            assert list(chain(*reversed(pages))) == expected
        nobody = [each async for each in forward(page, filter={"names": ["nobody"]})]
        assert nobody == [[]]
        exact = [each async for each in forward(page, first=15)]
        assert [len(each) for each in exact] == [15, 15, 15]

        failing = await enqueue(page.service, "fail")
        await ended(page.service, failing)
        happened = await history(page.service, failing)
        for name, count in (("failures", 20), ("events", len(happened))):
            seen: list[str] = []
            after = None
            while True:
                document = OF_INSTANCE % name
                found = await page.data(document, id=failing, first=7, after=after)
                seen += [edge["cursor"] for edge in found[name]["edges"]]
                if not found[name]["pageInfo"]["hasNextPage"]:
                    break
                after = found[name]["pageInfo"]["endCursor"]
            assert len(seen) == len(set(seen)) == count
        assert seen == [page.service.events.cursor_of(event) for event in happened]


async def test_bug_173_a_page_takes_no_longer_with_much_behind_it(database: str) -> None:
    # The schedules' page is left for when there are schedules.
    total = scaled(5_000, 350_000)
    await fill_with_finished(database, total)
    async with site(database, Workflows(), worker=False) as page:
        for asked in ({}, {"names": ["noop"]}, {"statuses": ["COMPLETED"]}):
            began = time.perf_counter()
            pages = 0
            async for ids in forward(page, first=50, filter=asked):
                assert len(ids) == 50
                pages += 1
                if pages == 20:
                    break
            async for ids in backward(page, last=50, filter=asked):
                assert len(ids) == 50
                break
            assert time.perf_counter() - began < 21 * 3
    explain = "EXPLAIN QUERY PLAN" if is_sqlite(database) else "EXPLAIN"
    statement = "SELECT id FROM instances ORDER BY created_at DESC, id DESC LIMIT 50"
    plan = str(rows(database, f"{explain} {statement}"))
    assert "instances_created" in plan
    assert "TEMP B-TREE" not in plan
    assert "Sort" not in plan
