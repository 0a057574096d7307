"""What each move by a worker leaves in the row and in the log."""

import asyncio

import pytest

from service.domain.clock import SECOND
from service.domain.events import EventType
from service.domain.instance import Claimed
from service.domain.transitions import (
    Settlement,
    Transition,
    abort,
    complete,
    fail,
    release,
    retry,
)
from service.store.moves import LOST
from service.store.upkeep import Promote
from tests.clock import NOON, FakeClock
from tests.services import Process
from tests.store.making import (
    claim,
    enqueue,
    every_move,
    facts,
    failure,
    later,
    move,
    onward,
    running,
)

HELD_BY = ("worker", "lease_until")


async def test_a_checkpoint_keeps_the_lease_and_goes_on(process: Process, clock: FakeClock) -> None:
    held = await running(process)
    await clock.advance(5)
    written = await move(process, onward(held))
    assert isinstance(written, Transition)
    assert await facts(
        process, held.id, "status", "visit", "fence", "action", "params", "state"
    ) == (
        "RUNNING",
        2,
        1,
        "ship",
        '"Rome"',
        '{"paid":true}',
    )
    assert await facts(process, held.id, *HELD_BY) == ("w1", held.lease_until)
    assert await facts(process, held.id, "max_attempts", "updated_at") == (5, clock.now())
    event = process.fed[-1]
    assert (event.type, event.status, event.action, event.attempt) == (
        EventType.CHECKPOINT,
        "RUNNING",
        "ship",
        1,
    )


async def test_attempts_and_losses_begin_anew_at_a_checkpoint(process: Process) -> None:
    await running(process)
    await process.alter(
        "UPDATE instances SET attempts = 2, losses = 1, ready = TRUE, status = 'PENDING'"
    )
    [held] = await claim(process)
    assert (held.attempts, held.losses) == (2, 1)
    await move(process, onward(held))
    assert await facts(process, held.id, "attempts", "losses") == (0, 0)


async def test_a_hand_over_waits_for_its_time_without_a_worker(
    process: Process, clock: FakeClock
) -> None:
    held = await running(process)
    await move(process, later(held, 60 * SECOND))
    assert await facts(process, held.id, "status", "visit", "ready", "run_after", *HELD_BY) == (
        "PENDING",
        2,
        0,
        clock.now() + 60 * SECOND,
        None,
        None,
    )
    event = process.fed[-1]
    assert (event.type, event.status, event.action) == (EventType.CHECKPOINT, "PENDING", "ship")
    await clock.advance(59.9)
    assert await process.store.write(Promote(limit=9)) == 0
    await clock.advance(0.1)
    assert await process.store.write(Promote(limit=9)) == 1
    [again] = await claim(process)
    assert (again.id, again.fence, again.visit) == (held.id, 2, 2)
    assert (again.action, again.params, again.state) == ("ship", '"Rome"', '{"paid":true}')


async def test_a_hand_over_at_once_can_be_claimed_at_once(process: Process) -> None:
    held = await running(process)
    await move(process, later(held, 0))
    assert [each.id for each in await claim(process)] == [held.id]


async def test_completing_keeps_the_output(process: Process, clock: FakeClock) -> None:
    held = await running(process)
    await clock.advance(5)
    await move(process, complete(held, '{"sent":1}'))
    found = await process.store.instances.get(held.id)
    assert found is not None
    assert (found.status, found.output, found.finished_at) == (
        "COMPLETED",
        '{"sent":1}',
        clock.now(),
    )
    assert await facts(process, held.id, *HELD_BY) == (None, None)
    assert process.fed[-1].type is EventType.COMPLETED


async def test_a_retry_waits_out_its_backoff_and_runs_the_same_action_again(
    process: Process, clock: FakeClock
) -> None:
    held = await running(process)
    await move(process, onward(held))
    await move(process, later((await _held(process, held)), 0, "pack"))
    [held] = await claim(process)
    await move(process, retry(held, failure(held), 7 * SECOND))
    assert await facts(process, held.id, "status", "attempts", "ready", "run_after", *HELD_BY) == (
        "PENDING",
        1,
        0,
        clock.now() + 7 * SECOND,
        None,
        None,
    )
    found = await process.store.instances.get(held.id)
    assert found is not None
    assert found.last_error == process.fed[-1].error == "PaymentError: no money"
    await clock.advance(7)
    await process.store.write(Promote(limit=9))
    [again] = await claim(process)
    assert (again.action, again.params, again.state) == (held.action, held.params, held.state)
    assert (again.attempts, again.visit) == (1, held.visit)


async def _held(process: Process, held: Claimed) -> Claimed:
    """Return what the worker holds after its checkpoint."""
    held.visit, held.action = await facts(process, held.id, "visit", "action")
    return held


async def test_every_failed_attempt_is_kept_with_what_was_raised(
    process: Process, clock: FakeClock
) -> None:
    held = await running(process)
    for attempt in (1, 2):
        await move(process, retry(held, failure(held, f"try {attempt}"), 0))
        await clock.advance(1)
        [held] = await claim(process)
    await move(process, fail(held, failure(held, "try 3")))
    kept = await process.store.instances.failures(held.id, -1, 10)
    assert [(f.attempt, f.fence, f.visit, f.action, f.message) for f in kept] == [
        (n, n, 1, "pay", f"try {n}") for n in (1, 2, 3)
    ]
    assert [f.at for f in kept] == [NOON, NOON + SECOND, NOON + 2 * SECOND]
    assert {f.error_type for f in kept} == {"PaymentError"}
    found = await process.store.instances.get(held.id)
    assert found is not None
    assert (found.status, found.attempts, found.last_error) == (
        "FAILED",
        3,
        "PaymentError: try 3",
    )


async def test_failures_are_read_a_part_at_a_time(process: Process) -> None:
    held = await running(process)
    for _ in range(3):
        await move(process, retry(held, failure(held), 0))
        [held] = await claim(process)
    assert [f.fence for f in await process.store.instances.failures(held.id, -1, 2)] == [1, 2]
    assert [f.fence for f in await process.store.instances.failures(held.id, 2, 2)] == [3]
    assert list(await process.store.instances.failures("other", -1, 2)) == []


async def test_a_release_counts_nothing(process: Process) -> None:
    held = await running(process)
    await move(process, release(held))
    assert await facts(process, held.id, "status", "attempts", "losses", "ready", *HELD_BY) == (
        "PENDING",
        0,
        0,
        1,
        None,
        None,
    )
    assert process.fed[-1].type is EventType.RELEASED


async def test_an_abort_needs_a_request(process: Process) -> None:
    held = await running(process)
    assert await move(process, abort(held)) is LOST
    assert await facts(process, held.id, "status") == ("RUNNING",)


async def test_an_error_stays_until_there_is_another(process: Process) -> None:
    held = await running(process)
    await move(process, retry(held, failure(held), 0))
    [held] = await claim(process)
    await move(process, complete(held, "1"))
    found = await process.store.instances.get(held.id)
    assert found is not None
    assert (found.status, found.last_error) == ("COMPLETED", "PaymentError: no money")


async def test_many_workers_moves_share_a_commit_each_with_its_own_answer(
    process: Process,
) -> None:
    for _ in range(20):
        await enqueue(process)
    held = await claim(process, 20)
    stale = [4, 11]
    for n in stale:
        held[n].fence = 99
    makers = [lambda h: complete(h, "1"), onward, release, lambda h: fail(h, failure(h))]
    answers = await asyncio.gather(
        *(move(process, makers[n % 4](each)) for n, each in enumerate(held))
    )
    for n, (each, answer) in enumerate(zip(held, answers, strict=True)):
        if n in stale:
            assert answer is LOST
        else:
            assert isinstance(answer, Transition)
            assert answer.held.id == each.id
    assert len(process.fed) == 20 + 20 + 18


@pytest.mark.parametrize("status", ["PENDING", "COMPLETED", "FAILED", "CANCELLED"])
async def test_no_worker_moves_what_does_not_run(process: Process, status: str) -> None:
    held = await running(process)
    await process.alter("UPDATE instances SET status = ?, cancel_requested = TRUE", status)
    before = await process.rows("SELECT * FROM instances")
    for transition in every_move(held).values():
        assert await move(process, transition) is LOST
    assert await process.rows("SELECT * FROM instances") == before
    assert len(process.fed) == 2


async def test_what_was_written_is_what_is_answered(process: Process) -> None:
    held = await running(process)
    transition = complete(held, "1")
    written = await move(process, transition)
    assert written is transition
    assert isinstance(written, Settlement)
    assert (written.event.position, written.event.at) == (3, NOON)
