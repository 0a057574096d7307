"""Lists against a model in memory, page by page."""

import asyncio
import random
from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

from service.domain.clock import SECOND
from service.domain.cursor import Key
from service.domain.errors import LimitExceeded
from service.domain.instance import Instance, Status
from service.domain.listing import InstanceFilter, Order
from service.domain.transitions import complete, fail
from service.store.listing import Stretch
from tests.clock import NOON, FakeClock
from tests.services import Process
from tests.store.making import cancel, claim, enqueue, failure, move


def key(row: Instance) -> tuple[int, str]:
    return row.created_at, row.id


async def stretch(
    process: Process, wanted: InstanceFilter, limit: int = 500, **given: Any
) -> Sequence[Instance]:
    rows, _ = await process.store.instances.list(wanted, Stretch(limit=limit, **given))
    return rows


async def walk(process: Process, wanted: InstanceFilter, size: int, *, backward: bool) -> list[str]:
    """Return the ids of the whole list, read page by page, in the list's order."""
    seen: list[str] = []
    at: Key | None = None
    while True:
        given = {"before" if backward else "after": at, "backward": backward}
        rows = await stretch(process, wanted, size, **given)
        assert len(rows) <= size
        if not rows:
            return seen
        ids = [row.id for row in rows]
        edge = rows[0 if backward else -1]
        at = Key(edge.created_at, edge.id)
        seen = ids + seen if backward else seen + ids


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("order", Order)
async def test_many_of_one_moment_are_each_listed_once(
    process: Process, order: Order, backward: bool
) -> None:
    placed = await asyncio.gather(*(enqueue(process) for _ in range(250)))
    assert {each.instance.created_at for each in placed} == {NOON}
    expected = sorted(each.instance.id for each in placed)
    if order is Order.NEWEST_FIRST:
        expected.reverse()
    wanted = InstanceFilter(order=order)
    assert await walk(process, wanted, 20, backward=backward) == expected


async def test_pages_are_stable_while_rows_are_inserted(process: Process, clock: FakeClock) -> None:
    before = []
    for _ in range(30):
        before.append((await enqueue(process)).instance.id)
        await clock.advance(0.5)
    seen: list[str] = []
    at: Key | None = None
    while rows := await stretch(process, InstanceFilter(), 7, after=at):
        seen.extend(row.id for row in rows)
        at = Key(rows[-1].created_at, rows[-1].id)
        for _ in range(5):
            await enqueue(process)
    assert seen == before[::-1]


async def test_from_the_old_end_new_rows_come_last(process: Process, clock: FakeClock) -> None:
    wanted = InstanceFilter(order=Order.OLDEST_FIRST)
    first = (await enqueue(process)).instance
    at = Key(first.created_at, first.id)
    assert await stretch(process, wanted, after=at) == []
    second = (await enqueue(process)).instance
    await clock.advance(1)
    third = (await enqueue(process)).instance
    rows = await stretch(process, wanted, after=at)
    assert [row.id for row in rows] == [second.id, third.id]


async def test_a_page_between_two_keys(process: Process, clock: FakeClock) -> None:
    made = []
    for _ in range(6):
        made.append((await enqueue(process)).instance)
        await clock.advance(1)
    between: dict[str, Any] = {
        "after": Key(made[4].created_at, made[4].id),
        "before": Key(made[0].created_at, made[0].id),
    }
    rows = await stretch(process, InstanceFilter(), **between)
    assert [row.id for row in rows] == [made[n].id for n in (3, 2, 1)]
    rows = await stretch(process, InstanceFilter(), 2, **between, backward=True)
    assert [row.id for row in rows] == [made[n].id for n in (2, 1)]


async def populate(process: Process, clock: FakeClock) -> list[Instance]:
    """Make instances of every kind, some of one moment, and return them as they are."""
    chance = random.Random(7)
    ids: list[str] = []
    for n in range(60):
        name = chance.choice(["order", "bill", "mail"])
        placed = await enqueue(
            process,
            name,
            queue=chance.choice([name, "orders", "bill"]),
            idempotency_key=chance.choice([None, f"i{n % 9}"]),
            singleton_key=chance.choice([None, f"s{n}", f"t{n % 5}"]),
        )
        ids.append(placed.instance.id)
        await clock.advance(chance.choice([0, 0, 1]))
    for held in await claim(process, 35):
        match chance.randint(0, 3):
            case 0:
                await move(process, complete(held, "1"))
            case 1:
                await move(process, fail(held, failure(held)))
            case _:
                pass
    for each in chance.sample(sorted(set(ids)), 12):
        await cancel(process, each)
    found = await process.store.instances.get_many(sorted(set(ids)))
    return [each for each in found if each is not None]


def matches(wanted: InstanceFilter, row: Instance) -> bool:
    def among(values: Sequence[str] | None, value: str) -> bool:
        return values is None or value in values

    def equals(value: str | None, own: str | None) -> bool:
        return value is None or value == own

    return (
        among(wanted.names, row.name)
        and among(wanted.queues, row.queue)
        and among(wanted.statuses, row.status)
        and equals(wanted.idempotency_key, row.idempotency_key)
        and equals(wanted.singleton_key, row.singleton_key)
        and (wanted.created_after is None or row.created_at >= wanted.created_after)
        and (wanted.created_before is None or row.created_at < wanted.created_before)
    )


def expected(wanted: InstanceFilter, rows: Sequence[Instance]) -> list[str]:
    newest_first = wanted.order is Order.NEWEST_FIRST
    return [row.id for row in sorted(rows, key=key, reverse=newest_first) if matches(wanted, row)]


CHOICES: dict[str, list[Any]] = {
    "names": [None, [], ["order"], ["order", "bill", "nobody"]],
    "queues": [None, ["bill"], ["orders", "bill", "mail"]],
    "statuses": [
        None,
        [],
        [Status.PENDING],
        [Status.FAILED, Status.CANCELLED],
        [Status.RUNNING, Status.COMPLETED],
        list(Status),
    ],
    "idempotency_key": [None, "i3"],
    "singleton_key": [None, "t1"],
    "created_after": [None, NOON + 5 * SECOND],
    "created_before": [None, NOON + 15 * SECOND],
    "order": list(Order),
}


async def test_every_combination_of_filters_agrees_with_a_model(
    process: Process, clock: FakeClock
) -> None:
    rows = await populate(process, clock)
    assert {row.status for row in rows} == set(Status) - {Status.WAITING}
    found_something = 0
    for values in product(*CHOICES.values()):
        wanted = InstanceFilter(**dict(zip(CHOICES, values, strict=True)))
        ids = expected(wanted, rows)
        found_something += bool(ids)
        assert [row.id for row in await stretch(process, wanted)] == ids, wanted
    assert found_something > 300


async def test_every_page_of_every_filter_agrees_with_a_model(
    process: Process, clock: FakeClock
) -> None:
    rows = await populate(process, clock)
    chance = random.Random(3)
    for _ in range(60):
        picked = {name: chance.choice(values) for name, values in CHOICES.items()}
        picked["idempotency_key"] = picked["singleton_key"] = None
        wanted = InstanceFilter(**picked)
        for backward in (False, True):
            size = chance.randint(1, 9)
            ids = expected(wanted, rows)
            assert await walk(process, wanted, size, backward=backward) == ids, wanted


async def test_a_listed_row_is_the_row(process: Process, clock: FakeClock) -> None:
    rows = await populate(process, clock)
    listed = await stretch(process, InstanceFilter(order=Order.OLDEST_FIRST))
    assert sorted(listed, key=key) == sorted(rows, key=key)


async def test_percent_and_underscore_are_only_letters(process: Process) -> None:
    await enqueue(process, "order")
    await enqueue(process, "o%")
    for pattern in ("%", "o%", "_____", "*"):
        found = await stretch(process, InstanceFilter(names=[pattern]))
        assert [row.name for row in found] == [pattern] * (pattern == "o%")


async def test_a_name_given_twice_lists_nothing_twice(process: Process) -> None:
    await enqueue(process, "bill", queue="bill")
    wanted = InstanceFilter(names=["bill", "bill"], queues=["bill", "bill"])
    assert len(await stretch(process, wanted)) == 1


async def test_too_many_combinations_are_refused(process: Process) -> None:
    names = [f"n{number}" for number in range(101)]
    with pytest.raises(LimitExceeded, match="101 names, 2 queues"):
        await stretch(process, InstanceFilter(names=names, queues=["a", "b"]))
    assert await stretch(process, InstanceFilter(names=names, queues=["a"])) == []


async def test_the_list_and_its_cursor_are_of_one_moment(process: Process) -> None:
    placed = await enqueue(process)
    rows, cursor = await process.store.instances.list(InstanceFilter(), Stretch(limit=9))
    assert cursor == placed.cursor == rows[0].cursor
