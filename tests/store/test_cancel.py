import asyncio

import pytest

from service.domain.clock import SECOND
from service.domain.errors import NotFound
from service.domain.events import EventType
from service.domain.instance import CancelOutcome
from service.domain.transitions import complete
from service.store.upkeep import Promote, Reclaim
from tests.clock import FakeClock
from tests.services import Process
from tests.store.making import (
    cancel,
    claim,
    enqueue,
    every_move,
    facts,
    later,
    move,
    onward,
    running,
    status,
)


async def test_what_waits_ends_at_once(process: Process, clock: FakeClock) -> None:
    placed = await enqueue(process)
    await clock.advance(3)
    stopped = await cancel(process, placed.instance.id)
    assert stopped.outcome is CancelOutcome.CANCELLED
    assert stopped.instance.status == "CANCELLED"
    assert stopped.instance.finished_at == clock.now()
    assert await facts(process, placed.instance.id, "ready") == (0,)
    event = process.fed[-1]
    assert (event.type, event.status, event.action, event.error) == (
        EventType.CANCELLED,
        "CANCELLED",
        "pay",
        None,
    )
    assert stopped.event is event
    assert await claim(process) == []


async def test_what_waits_for_a_later_time_ends_at_once_and_never_wakes(
    process: Process, clock: FakeClock
) -> None:
    held = await running(process)
    await move(process, later(held, 10 * SECOND))
    assert (await cancel(process, held.id)).outcome is CancelOutcome.CANCELLED
    await clock.advance(20)
    assert await process.store.write(Promote(limit=10)) == 0
    assert await status(process, held.id) == "CANCELLED"


async def test_what_runs_is_asked_once(process: Process) -> None:
    held = await running(process)
    stopped = await cancel(process, held.id)
    assert (stopped.outcome, stopped.instance.status) == (CancelOutcome.REQUESTED, "RUNNING")
    assert stopped.instance.cancel_requested
    event = process.fed[-1]
    assert (event.type, event.status) == (EventType.CANCEL_REQUESTED, "RUNNING")
    again = await cancel(process, held.id)
    assert again.outcome is CancelOutcome.REQUESTED
    assert again.cursor == stopped.cursor
    assert process.told().count(EventType.CANCEL_REQUESTED) == 1


YIELDING = ["checkpoint", "hand over", "retry", "fail", "abort", "release"]


@pytest.mark.parametrize("name", YIELDING)
async def test_with_a_cancel_requested_every_move_but_completing_is_an_end(
    process: Process, name: str
) -> None:
    held = await running(process)
    await cancel(process, held.id)
    before = await facts(process, held.id, "attempts", "losses", "visit", "action", "state")
    written = await move(process, every_move(held)[name])
    assert written.move.name == "abort"  # type: ignore[union-attr]
    assert await facts(process, held.id, "status", "worker", "lease_until", "ready") == (
        "CANCELLED",
        None,
        None,
        0,
    )
    assert await facts(process, held.id, "attempts", "losses", "visit", "action", "state") == before
    assert await process.rows("SELECT * FROM failures") == []
    assert process.told(held.id)[-2:] == [EventType.CANCEL_REQUESTED, EventType.CANCELLED]
    assert process.fed[-1].error is None


@pytest.mark.parametrize("losses", [0, 2])
async def test_what_is_reclaimed_with_a_cancel_requested_is_an_end(
    process: Process, clock: FakeClock, losses: int
) -> None:
    held = await running(process)
    await process.alter("UPDATE instances SET losses = ?", losses)
    await cancel(process, held.id)
    await clock.advance(31)
    assert await process.store.write(Reclaim(limit=5)) == [held.id]
    assert await facts(process, held.id, "status", "losses") == ("CANCELLED", losses)
    assert process.fed[-1].type is EventType.CANCELLED
    assert await process.rows("SELECT * FROM failures") == []


async def test_completing_wins_when_it_is_written_first(process: Process) -> None:
    held = await running(process)
    await cancel(process, held.id)
    await move(process, complete(held, '"sent"'))
    assert await facts(process, held.id, "status", "output") == ("COMPLETED", '"sent"')
    assert process.fed[-1].type is EventType.COMPLETED


@pytest.mark.parametrize("name", ["complete", "fail", "cancel"])
async def test_what_has_ended_is_said_to_have(process: Process, name: str) -> None:
    held = await running(process)
    if name == "cancel":
        await cancel(process, held.id)
        name = "abort"
    await move(process, every_move(held)[name])
    before = await process.rows("SELECT * FROM instances")
    stopped = await cancel(process, held.id)
    assert stopped.outcome is CancelOutcome.ALREADY_ENDED
    assert stopped.event is None
    assert stopped.cursor == stopped.instance.cursor
    assert await process.rows("SELECT * FROM instances") == before


async def test_what_is_not_there_is_said_not_to_be(process: Process) -> None:
    with pytest.raises(NotFound, match="'nobody'"):
        await cancel(process, "nobody")


async def test_a_cancel_in_another_process_is_one(process: Process, other: Process) -> None:
    held = await running(process)
    await cancel(other, held.id)
    await move(process, onward(held))
    assert await status(process, held.id) == "CANCELLED"


async def test_a_cancel_and_an_end_at_once_agree(process: Process, other: Process) -> None:
    for _ in range(20):
        held = await running(process)
        stopped, _ = await asyncio.gather(
            cancel(other, held.id), move(process, complete(held, "1"))
        )
        assert await status(process, held.id) == "COMPLETED"
        told = [event.type for event in await process.store.events.of_instance(held.id, 0, 9)]
        if stopped.outcome is CancelOutcome.ALREADY_ENDED:
            assert EventType.CANCEL_REQUESTED not in told
        else:
            assert stopped.outcome is CancelOutcome.REQUESTED
            assert told[-2:] == [EventType.CANCEL_REQUESTED, EventType.COMPLETED]


async def test_a_cancel_and_a_claim_at_once_agree(process: Process, other: Process) -> None:
    for _ in range(20):
        placed = await enqueue(process)
        stopped, held = await asyncio.gather(cancel(other, placed.instance.id), claim(process))
        told = [e.type for e in await process.store.events.of_instance(placed.instance.id, 0, 9)]
        if stopped.outcome is CancelOutcome.CANCELLED:
            assert held == []
            assert told == [EventType.ENQUEUED, EventType.CANCELLED]
        else:
            assert [each.id for each in held] == [placed.instance.id]
            assert told[1:] == [EventType.STARTED, EventType.CANCEL_REQUESTED]
            await move(process, every_move(held[0])["abort"])
