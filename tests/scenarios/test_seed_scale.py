"""What work costs beside a long backlog and a long past, in steps of SQLite's machine: A18.

The steps that a statement takes are the same on every machine and in every run, so no clock
decides: what scans rows takes as many more as there are rows.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, cast

import pytest

from service.domain.instance import Claimed, Status
from service.domain.listing import InstanceFilter, Order
from service.domain.transitions import complete
from service.operations.page import Page, Window
from tests.clock import FakeClock
from tests.scale import scaled
from tests.services import Place, Process, clock, file_url, process
from tests.store.making import cancel, claim, enqueue, move, onward

__all__ = ["clock", "process"]

FEW, MANY = 60, scaled(3_000, 50_000)
SLACK = 1.25
"""The parts of a statement that don't search may differ a little, such as a page's last row."""

WAITING = InstanceFilter(statuses=[Status.PENDING])
LISTS = {
    "all": InstanceFilter(),
    "the oldest": InstanceFilter(order=Order.OLDEST_FIRST),
    "a name": InstanceFilter(names=["order"]),
    "a queue": InstanceFilter(queues=["orders"]),
    "what waits": WAITING,
    "what waits of a name": InstanceFilter(names=["order"], statuses=[Status.PENDING]),
    "what was cancelled": InstanceFilter(statuses=[Status.CANCELLED]),
    "a key": InstanceFilter(names=["order"], idempotency_key="k-1"),
    "a span of time": InstanceFilter(created_after=1, created_before=2),
}


@pytest.fixture
def place(clock: FakeClock) -> Iterator[Place]:
    with file_url() as url:
        yield Place(url, clock)


class Meter:
    """Counts the steps of every connection of one process, from `start` on."""

    def __init__(self) -> None:
        self._steps = 0

    async def start(self, process: Process) -> None:
        """Count, from within each connection's own thread."""
        database = cast("Any", process.database.database)
        for line in (database._writer, *database._readers):
            await line.run(lambda raw=line.raw: raw.set_progress_handler(self._step, 1))

    async def of(self, work: Callable[[], Awaitable[Any]]) -> tuple[int, Any]:
        """Return how many steps the work took, and what it answered."""
        before = self._steps
        answer = await work()
        return self._steps - before, answer

    def _step(self) -> int:
        self._steps += 1
        return 0


async def fill(process: Process, count: int) -> None:
    """Add so many instances that have ended, and as many that wait."""
    for number in range(0, count, 500):
        await asyncio.gather(*(enqueue(process) for _ in range(min(500, count - number))))
        held = await claim(process, 500)
        await asyncio.gather(*(move(process, complete(each, '"done"')) for each in held))
    await asyncio.gather(*(enqueue(process) for _ in range(count)))


async def cost_of_a_life(process: Process, meter: Meter, round_: int) -> Mapping[str, int]:
    """Return what each write costs that an instance goes through."""
    keys = {"idempotency_key": f"k-{round_}", "singleton_key": f"s-{round_}"}
    costs: dict[str, int] = {}
    costs["enqueue"], _ = await meter.of(lambda: enqueue(process, priority=1))
    costs["enqueue with keys"], placed = await meter.of(lambda: enqueue(process, **keys))
    costs["look around"], _ = await meter.of(process.store.agenda)
    costs["claim"], held = await meter.of(lambda: claim(process))
    first = cast("Claimed", held[0])
    costs["checkpoint"], _ = await meter.of(lambda: move(process, onward(first)))
    costs["cancel"], _ = await meter.of(lambda: cancel(process, placed.instance.id))
    costs["get"], _ = await meter.of(lambda: process.workflows.get(placed.instance.id))
    return costs


def dearer(few: Mapping[str, int], many: Mapping[str, int]) -> Mapping[str, tuple[int, int]]:
    """Return what costs more beside many, with what it costs beside few and many."""
    return {what: (few[what], many[what]) for what in few if many[what] > SLACK * few[what]}


async def test_a18_a_backlog_and_a_past_cost_no_write_anything(process: Process) -> None:
    meter = Meter()
    await fill(process, FEW)
    await meter.start(process)
    few = await cost_of_a_life(process, meter, 1)
    await fill(process, MANY)
    many = await cost_of_a_life(process, meter, 2)
    assert dearer(few, many) == {}


async def cost_of_pages(process: Process, meter: Meter) -> Mapping[str, int]:
    """Return what the first page of each list costs, and the one after it."""

    async def page(filter_: InstanceFilter, after: str | None = None) -> tuple[int, Page[Any]]:
        window = Window(first=20, after=after)
        return await meter.of(lambda: process.workflows.list(filter_, window))

    costs: dict[str, int] = {}
    for name, filter_ in LISTS.items():
        costs[name], first = await page(filter_)
        if first.has_next:
            costs[f"{name}, further on"], _ = await page(filter_, first.edges[-1].cursor)
    return costs


async def test_a18_a_page_costs_the_same_however_long_the_list_is(process: Process) -> None:
    meter = Meter()
    await fill(process, FEW)
    await meter.start(process)
    few = await cost_of_pages(process, meter)
    await fill(process, MANY)
    many = await cost_of_pages(process, meter)
    assert dearer(few, many) == {}


@pytest.mark.parametrize("order", Order)
async def test_a18_pages_add_up_to_the_whole_list(process: Process, order: Order) -> None:
    await fill(process, FEW)
    seen: list[str] = []
    after: str | None = None
    while True:
        window = Window(first=50, after=after)
        page = await process.workflows.list(InstanceFilter(order=order), window)
        seen += [each.id for each in page.nodes]
        if not page.has_next:
            break
        after = page.edges[-1].cursor
    assert len(seen) == len(set(seen)) == 2 * FEW
