"""Hot statements go by the index that was made for them, and never through a whole table."""

import asyncio
import re
from collections.abc import Sequence
from itertools import product

import pytest

from service.domain.cursor import Key
from service.domain.instance import Status
from service.domain.listing import InstanceFilter, Order
from service.store.database import Params, Row, Transaction
from service.store.listing import Stretch, list_instances
from service.store.sqlite.transaction import SQL
from tests.services import Process
from tests.store.making import enqueue

PLANS: dict[str, tuple[Params, set[str]]] = {
    "ready_in_lane": (("q", "n", 5), {"SEARCH instances USING INDEX instances_ready"}),
    "count_running": (("q",), {"SEARCH instances USING INDEX instances_running"}),
    "promote": (
        (0, 9),
        {"SEARCH instances USING INDEX instances_due", "SEARCH instances USING INDEX id"},
    ),
    "expired": ((0, 9), {"SCAN instances USING INDEX instances_running"}),
    "claim": (("i", "PENDING", "RUNNING", "w", 0, 0), {"SEARCH instances USING INDEX id"}),
    "renew": (("i", 1, 0), {"SEARCH instances USING INDEX id"}),
    "progress": (("i", *[1] * 11), {"SEARCH instances USING INDEX id"}),
    "settle": (("i", *[1] * 14), {"SEARCH instances USING INDEX id"}),
    "cancel": (("i", "a", "b", "c", 0, "r"), {"SEARCH instances USING INDEX id"}),
    "ask_to_cancel": (("i", "a", 0, "r"), {"SEARCH instances USING INDEX id"}),
    "requeue": (("i", "a", "b", "c", 0, "r"), {"SEARCH instances USING INDEX id"}),
    "get_instance": (("i",), {"SEARCH i USING INDEX id", "SCAN log"}),
    "find_idempotent": (("n", "k"), {"SEARCH i USING INDEX instances_idempotency"}),
    "living_of_key": (("n", "k"), {"SEARCH i USING INDEX instances_singleton"}),
    "unblock": (
        ("n", "k", 0),
        {
            "SEARCH instances USING INDEX instances_singleton",
            "SEARCH h USING INDEX instances_singleton_holder",
        },
    ),
    "list_failures": (("i", 0, 9), {"SEARCH failures USING PRIMARY KEY"}),
    "events_after": ((0, 9), {"SEARCH events USING INTEGER PRIMARY KEY"}),
    "events_of_instance": (("i", 0, 9), {"SEARCH events USING INDEX events_instance"}),
    "event_at": ((0,), {"SEARCH events USING INTEGER PRIMARY KEY"}),
    "claim_hook": ((0, 0, 0), {"SEARCH hooks USING INTEGER PRIMARY KEY"}),
    "find_request": (("r",), {"SEARCH requests USING INDEX id"}),
    "delete_events": ((0, 9), {"SEARCH events USING INTEGER PRIMARY KEY"}),
    "running_depths": ((), {"SCAN instances USING INDEX instances_running"}),
    "ready_depths": ((), {"SCAN instances USING INDEX instances_ready"}),
}


def steps(rows: Sequence[Row]) -> set[str]:
    """Return what a plan reads, each part as `SEARCH table USING index`."""
    found: set[str] = set()
    for *_, detail in rows:
        text = re.sub(r"sqlite_autoindex_\w+", "id", detail)
        text = re.sub(r" \(.*", "", text).replace(" COVERING", "")
        if text.startswith(("SEARCH", "SCAN")):
            found.add(text)
    return found


async def plan(process: Process, text: str, params: Params = ()) -> list[Row]:
    return await process.database.read(lambda tx: tx.compose(f"EXPLAIN QUERY PLAN {text}", params))


def scans(rows: Sequence[Row]) -> list[str]:
    """Return the parts that read the whole of `instances` or `events`, without an index."""
    return [detail for *_, detail in rows if re.fullmatch(r"SCAN (instances|i|h|events)", detail)]


@pytest.mark.parametrize("name", PLANS)
async def test_a_statement_goes_by_its_index(process: Process, name: str) -> None:
    params, expected = PLANS[name]
    rows = await plan(process, SQL[name], params)
    assert steps(rows) == expected
    assert scans(rows) == []


@pytest.mark.parametrize("name", ["ready_in_lane", "events_after", "events_of_instance", "promote"])
async def test_what_has_a_limit_sorts_nothing(process: Process, name: str) -> None:
    rows = await plan(process, SQL[name], PLANS[name][0])
    assert not [detail for *_, detail in rows if "TEMP B-TREE" in detail]


async def test_each_lane_costs_a_few_probes(process: Process) -> None:
    rows = await plan(process, SQL["ready_lanes"])
    assert not [detail for *_, detail in rows if "TEMP B-TREE" in detail]
    probes = [detail.replace(" COVERING", "") for *_, detail in rows if "instances" in detail]
    prefix = "instances USING INDEX instances_ready"
    assert probes == [
        f"SCAN {prefix}",  # for its first row alone
        *[f"SEARCH {prefix} (queue=? AND name>?)", f"SEARCH {prefix} (queue>?)"] * 2,
    ]


async def test_a_claim_costs_the_same_however_much_is_ready(process: Process) -> None:
    """Counts what SQLite does, which no index name tells."""

    async def cost() -> int:
        raw = process.database.database._writer.raw  # type: ignore[attr-defined]
        ticks = 0

        def tick() -> None:
            nonlocal ticks
            ticks += 1

        def work(tx: Transaction) -> None:
            raw.set_progress_handler(tick, 10)
            tx.all("ready_lanes")
            tx.all("ready_in_lane", ("q1", "n1", 10))
            tx.one("count_running", ("q1",))
            tx.one("upkeep")
            raw.set_progress_handler(None, 10)

        await process.database.transaction(work)
        return ticks

    async def fill(count: int) -> None:
        await asyncio.gather(
            *(enqueue(process, f"n{n % 3}", queue=f"q{n % 2}") for n in range(count))
        )

    await fill(60)
    before = await cost()
    await fill(3_000)
    assert await cost() <= 1.2 * before


async def test_the_tick_looks_at_the_first_rows_of_small_indexes(process: Process) -> None:
    rows = await plan(process, SQL["upkeep"])
    assert scans(rows) == []
    read = {re.sub(r" \(.*", "", detail) for *_, detail in rows if "instances" in detail}
    assert all(re.search(r"INDEX instances_(due|running|ready)$", each) for each in read), read


async def test_pruning_looks_at_ends_alone(process: Process) -> None:
    rows = await plan(process, SQL["ended_before"], (0, 9))
    assert steps(rows) == {
        "SEARCH i USING INDEX instances_finished",
        "SEARCH h USING INDEX hooks_instance",
    }
    assert scans(await plan(process, SQL["prunable_event"], (0, 9, 0))) == []


async def test_every_statement_can_be_planned_and_reads_no_whole_table(process: Process) -> None:
    await process.database.transaction(lambda tx: tx.script(f"{tx.piece('copy_begin')};"))
    for name, text in SQL.items():
        if text.startswith("CREATE"):
            continue
        count = max([int(number) for number in re.findall(r"\?(\d+)", text)], default=0)
        rows = await plan(process, text, ("[]",) * count)
        assert scans(rows) == [], name


class Explaining:
    """A transaction that collects the plans of what it is asked."""

    def __init__(self, tx: Transaction) -> None:
        self.tx = tx
        self.plans: list[list[Row]] = []

    def piece(self, name: str) -> str:
        return self.tx.piece(name)

    def compose(self, text: str, params: Params) -> list[Row]:
        self.plans.append(self.tx.compose(f"EXPLAIN QUERY PLAN {text}", params))
        return []


async def strands(process: Process, wanted: InstanceFilter, stretch: Stretch) -> list[list[Row]]:
    def work(tx: Transaction) -> list[list[Row]]:
        explaining = Explaining(tx)
        list_instances(explaining, wanted, stretch)  # type: ignore[arg-type]
        return explaining.plans

    return await process.database.read(work)


PICKS = {
    "names": (None, ["order", "bill"]),
    "queues": (None, ["orders"]),
    "statuses": (None, list(Status)),
}


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("after", [None, Key(5, "i")])
async def test_a_list_is_read_in_its_order_by_an_index(
    process: Process, order: Order, after: Key | None
) -> None:
    for names, queues, statuses in product(*PICKS.values()):
        wanted = InstanceFilter(names=names, queues=queues, statuses=statuses, order=order)
        for rows in await strands(process, wanted, Stretch(limit=51, after=after)):
            assert scans(rows) == []
            assert [detail for *_, detail in rows if "TEMP B-TREE" in detail] == [], wanted


@pytest.mark.parametrize(
    ("given", "index"),
    [
        ({"statuses": [Status.PENDING]}, "instances_live"),
        ({"statuses": [Status.RUNNING]}, "instances_live"),
        ({"statuses": [Status.FAILED]}, "instances_unwell"),
        ({"statuses": [Status.CANCELLED]}, "instances_unwell"),
        ({"names": ["order"]}, "instances_name"),
        ({"idempotency_key": "k"}, "instances_idempotency"),
        ({"singleton_key": "k"}, "instances_singleton"),
        ({}, "instances_created"),
    ],
)
async def test_a_list_goes_by_the_index_of_its_size(
    process: Process, given: dict[str, object], index: str
) -> None:
    wanted = InstanceFilter(**given)  # type: ignore[arg-type]
    [rows] = await strands(process, wanted, Stretch(limit=51))
    assert next(re.findall(r"INDEX (\w+)", detail) for *_, detail in rows) == [index]
