import pytest

from service.domain import cursor
from service.domain.errors import (
    IdempotencyConflict,
    InvalidParams,
    LimitExceeded,
    PayloadTooLarge,
    UnknownWorkflow,
)
from service.operations.workflows import EnqueueRequest
from tests.operations.authors import PING, order
from tests.services import ENQUEUE_MANY_LIMIT, PAYLOAD_LIMIT, Process


async def test_all_come_in_one_commit_and_in_their_order(process: Process) -> None:
    enqueued = await process.workflows.enqueue_many(
        [order({"item": str(n)}) for n in range(ENQUEUE_MANY_LIMIT)]
    )
    assert [cursor.decode(each.cursor).position for each in enqueued] == list(
        range(1, ENQUEUE_MANY_LIMIT + 1)
    )
    assert all(f'"{n}"' in str(each.instance.input) for n, each in enumerate(enqueued))
    assert len({event.at for event in process.fed}) == 1


async def test_the_faults_of_each_are_told_with_its_place(process: Process) -> None:
    with pytest.raises(InvalidParams) as caught:
        await process.workflows.enqueue_many([order(), order({}), order(), order(queue="")])
    assert [fault.path for fault in caught.value.faults] == [
        ("items", 1, "params", "item"),
        ("items", 3, "queue"),
    ]
    assert process.fed == []


async def test_a_conflict_in_the_middle_refuses_all(process: Process) -> None:
    await process.workflows.enqueue(order(idempotency_key="k"))
    requests = [
        order(idempotency_key="new"),
        order({"item": "pen"}, idempotency_key="k"),
        order(),
    ]
    with pytest.raises(IdempotencyConflict):
        await process.workflows.enqueue_many(requests, "r")
    assert len(process.fed) == 1
    [again, _] = await process.workflows.enqueue_many([requests[0], requests[2]], "r")
    assert again.created


async def test_an_unknown_workflow_or_a_large_payload_refuses_all(process: Process) -> None:
    for bad in (EnqueueRequest(name="fax"), order({"item": "x" * PAYLOAD_LIMIT})):
        with pytest.raises((UnknownWorkflow, PayloadTooLarge)):
            await process.workflows.enqueue_many([order(), bad])
    assert process.fed == []


async def test_one_key_twice_in_a_call_is_one_instance(process: Process) -> None:
    first, second = await process.workflows.enqueue_many([order(idempotency_key="k")] * 2)
    assert (first.created, second.created) == (True, False)
    assert first.instance.id == second.instance.id


async def test_no_more_than_the_limit(process: Process) -> None:
    with pytest.raises(LimitExceeded, match="101"):
        await process.workflows.enqueue_many([PING] * (ENQUEUE_MANY_LIMIT + 1))


async def test_none_is_none(process: Process) -> None:
    assert list(await process.workflows.enqueue_many([], "r")) == []


async def test_a_repeated_request_gives_every_first_answer(process: Process) -> None:
    requests = [order(), PING, order(idempotency_key="k")]
    first = await process.workflows.enqueue_many(requests, "r")
    again = await process.workflows.enqueue_many(requests, "r")
    assert [(a.instance.id, a.created, a.cursor) for a in again] == [
        (f.instance.id, f.created, f.cursor) for f in first
    ]
    with pytest.raises(IdempotencyConflict):
        await process.workflows.enqueue_many(requests[::-1], "r")
    assert len(process.fed) == 3
