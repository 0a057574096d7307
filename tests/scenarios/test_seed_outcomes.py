"""How an instance ends, told by one server: A5, A6, A7, A10, A11, A14 and A19.

A16, which is about schedules, has no test here.
"""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator

import pytest

from service.client import (
    CancelOutcome,
    Client,
    EventType,
    Handle,
    Instance,
    Status,
    WorkflowCancelled,
    WorkflowFailed,
)
from tests.processes import Crew, Process, until
from tests.scale import scaled
from tests.scenarios.notes import BEGAN, ENDED, Notes


@pytest.fixture
async def client(server: Process) -> AsyncIterator[Client]:
    async with Client(server.url) as client:
        yield client


async def told(client: Client, handle: Handle) -> list[EventType]:
    return [event.type async for event in client.history(handle.id)]


async def now(client: Client, handle: Handle) -> Instance:
    return (await client.handle(handle.id)).instance


async def test_a5_a_retry_runs_the_failed_action_on_the_state_of_its_checkpoint(
    client: Client, notes: Notes
) -> None:
    handle = await client.enqueue("falters", {"file": notes.file})
    with pytest.raises(WorkflowFailed, match="it fell down"):
        await handle.result(timeout=20)
    assert notes.words() == ["lay:0", "build:1", "build:1", "build:1"]
    assert [each.attempt for each in notes.all()] == [1, 1, 2, 3]


@pytest.mark.parametrize("workflow", ["yields", "stumbles"])
async def test_a6_an_action_that_heeds_its_cancel_is_cancelled_and_not_retried(
    client: Client, notes: Notes, workflow: str
) -> None:
    handle = await client.enqueue(workflow, {"file": notes.file, "seconds": 60})
    await until(lambda: notes.words() == [BEGAN])
    assert (await handle.cancel()).outcome is CancelOutcome.REQUESTED
    with pytest.raises(WorkflowCancelled):
        await handle.result(timeout=10)
    assert await told(client, handle) == [
        EventType.ENQUEUED,
        EventType.STARTED,
        EventType.CANCEL_REQUESTED,
        EventType.CANCELLED,
    ]
    assert notes.words() == ([BEGAN, "cleaned"] if workflow == "yields" else [BEGAN])
    assert [failure async for failure in client.failures(handle.id)] == []


async def test_a7_what_a_cancel_reports_is_what_the_handler_did(
    client: Client, notes: Notes
) -> None:
    chance = random.Random(7)

    async def one(number: int) -> tuple[str, CancelOutcome, Status]:
        params = {"file": notes.file, "tag": str(number), "seconds": 0.1}
        handle = await client.enqueue("job", params)
        await until(lambda: BEGAN in notes.words(str(number)))
        await asyncio.sleep(max(0, chance.gauss(0.08, 0.03)))
        outcome = (await handle.cancel()).outcome
        instance = await now(client, handle)
        while not instance.ended:
            await asyncio.sleep(0.02)
            instance = await now(client, handle)
        return str(number), outcome, instance.status

    for rounds in range(scaled(4, 50)):
        group = [one(rounds * 10 + number) for number in range(10)]
        async with asyncio.timeout(30):
            ends = await asyncio.gather(*group)
        for tag, outcome, status in ends:
            ended = ENDED in notes.words(tag)
            assert status is (Status.COMPLETED if ended else Status.CANCELLED), (tag, outcome)
            if outcome is CancelOutcome.ALREADY_ENDED:
                assert status is Status.COMPLETED
            if outcome is CancelOutcome.CANCELLED:
                assert status is Status.CANCELLED


async def test_a10_a_cancel_leaves_an_ended_instance_as_it_is(client: Client, notes: Notes) -> None:
    handle = await client.enqueue("job", {"file": notes.file, "tag": "kept"})
    assert await handle.result(timeout=20) == "kept"
    before, history = await now(client, handle), await told(client, handle)
    answers = await asyncio.gather(*(handle.cancel() for _ in range(10)))
    assert {answer.outcome for answer in answers} == {CancelOutcome.ALREADY_ENDED}
    assert {answer.instance.status for answer in answers} == {Status.COMPLETED}
    after = await now(client, handle)
    assert (after.output, after.updated_at, after.finished_at) == (
        before.output,
        before.updated_at,
        before.finished_at,
    )
    assert await told(client, handle) == history


async def test_a11_a_result_that_no_json_can_hold_fails_at_once(
    client: Client, notes: Notes
) -> None:
    handle = await client.enqueue("unspeakable", {"file": notes.file})
    with pytest.raises(WorkflowFailed):
        await handle.result(timeout=20)
    assert notes.words() == [BEGAN]
    assert (await told(client, handle))[1:] == [EventType.STARTED, EventType.FAILED]
    (failure,) = [failure async for failure in client.failures(handle.id)]
    assert "object" in failure.message


async def test_a14_an_idempotency_key_belongs_to_one_workflow(client: Client, notes: Notes) -> None:
    params = {"file": notes.file}
    first = await client.enqueue("job", params, idempotency_key="order-1")
    other = await client.enqueue("stages", params, idempotency_key="order-1")
    again = await client.enqueue("job", params, idempotency_key="order-1")
    assert (first.created, other.created, again.created) == (True, True, False)
    assert (first.instance.name, other.instance.name) == ("job", "stages")
    assert again.id == first.id
    assert await other.result(timeout=20) == 2
    assert await first.result(timeout=20) == ""
    assert notes.runs()[first.id] == 1


async def test_a19_a_terminal_hook_that_fails_takes_nothing_else_down(
    client: Client, notes: Notes, server: Process, module_crew: Crew
) -> None:
    module_crew.bears("The on_terminal hook failed")
    handles = [await client.enqueue("hooked", {"file": notes.file}) for _ in range(3)]
    assert [await handle.result(timeout=20) for handle in handles] == [notes.file] * 3
    ids = {handle.id for handle in handles}
    await until(lambda: {each.instance for each in notes.all() if each.word == "hook"} == ids)
    assert {(await now(client, handle)).status for handle in handles} == {Status.COMPLETED}
    tried = Counter(each.instance for each in notes.all() if each.word == "hook")
    await until(lambda: notes.count("hook") > sum(tried.values()))  # it is tried again, apart
    assert server.running
    assert notes.count(BEGAN) == 3
    job = await client.enqueue("job", {"file": notes.file, "tag": "still"})
    assert await job.result(timeout=20) == "still"
