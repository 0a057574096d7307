"""No write changes a row that has ended, but a requeue and pruning."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from service.domain.errors import InvalidState
from service.domain.events import TERMINAL
from service.domain.instance import Claimed, OnConflict
from service.store.upkeep import CutLeases, Promote, Reclaim, renew
from tests.clock import FakeClock
from tests.services import Process
from tests.store.making import (
    LEASE,
    cancel,
    claim,
    enqueue,
    every_move,
    move,
    requeue,
    running,
)

ENDS = ["complete", "fail", "abort"]
MOVES = ["checkpoint", "hand over", "complete", "retry", "fail", "abort", "release"]


async def ended(process: Process, end: str, **given: Any) -> Claimed:
    held = await running(process, **given)
    if end == "abort":
        await cancel(process, held.id)
    await move(process, every_move(held)[end])
    return held


WRITES: dict[str, Callable[[Process, Claimed], Awaitable[object]]] = {
    "cancel": lambda process, held: cancel(process, held.id),
    "claim": lambda process, held: claim(process, 9),
    "reclaim": lambda process, held: process.store.write(Reclaim(limit=9)),
    "promote": lambda process, held: process.store.write(Promote(limit=9)),
    "cut leases": lambda process, held: process.store.write(CutLeases(lease=1)),
    "renew": lambda process, held: process.database.transaction(
        lambda tx: renew(tx, [(held.id, held.fence)], LEASE)
    ),
    "the same keys": lambda process, held: enqueue(process, idempotency_key="i"),
    "replace": lambda process, held: enqueue(
        process, singleton_key="s", on_conflict=OnConflict.REPLACE
    ),
} | {
    name: lambda process, held, name=name: move(process, every_move(held)[name])  # type: ignore[misc]
    for name in MOVES
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("write", WRITES)
async def test_an_ended_row_stays_as_it_is(
    process: Process, clock: FakeClock, write: str, end: str
) -> None:
    held = await ended(process, end, idempotency_key="i", singleton_key="s", hooked=True)
    row = await process.rows("SELECT * FROM instances WHERE id = ?", held.id)
    await clock.advance(100)
    await WRITES[write](process, held)
    assert await process.rows("SELECT * FROM instances WHERE id = ?", held.id) == row
    events = await process.store.events.of_instance(held.id, 0, 99)
    assert [event.type in TERMINAL for event in events][-1]
    assert sum(event.type in TERMINAL for event in events) == 1


async def test_a_completed_row_is_not_even_put_back(process: Process) -> None:
    held = await ended(process, "complete")
    row = await process.rows("SELECT * FROM instances")
    with pytest.raises(InvalidState):
        await requeue(process, held.id)
    assert await process.rows("SELECT * FROM instances") == row


@pytest.mark.parametrize("end", ["fail", "abort"])
async def test_after_a_requeue_there_may_be_another_end(
    process: Process, clock: FakeClock, end: str
) -> None:
    held = await ended(process, end)
    await requeue(process, held.id)
    await clock.advance(1)
    [held] = await claim(process)
    await move(process, every_move(held)["complete"])
    found = await process.store.instances.get(held.id)
    assert found is not None
    assert (found.status, found.finished_at) == ("COMPLETED", clock.now())
