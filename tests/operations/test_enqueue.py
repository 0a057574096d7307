from dataclasses import replace
from typing import Any

import pytest

from service.domain.errors import (
    IdempotencyConflict,
    InvalidParams,
    PayloadTooLarge,
    SingletonConflict,
    UnknownWorkflow,
)
from service.domain.instance import OnConflict, Status
from service.operations.workflows import EnqueueRequest
from tests.operations.authors import PING, Order, order
from tests.services import PAYLOAD_LIMIT, Process


async def test_plain_data_and_the_input_type_are_the_same(process: Process) -> None:
    plain = await process.workflows.enqueue(order({"item": "book", "count": 2}))
    typed = await process.workflows.enqueue(order(Order("book", 2)))
    assert plain.instance.input == typed.instance.input
    assert plain.instance.input == '{"item":"book","count":2,"notes":[]}'


async def test_it_stands_in_the_queue_of_its_workflow(process: Process) -> None:
    enqueued = await process.workflows.enqueue(order())
    other = await process.workflows.enqueue(order(queue="rush", priority=3))
    ping = await process.workflows.enqueue(PING)
    assert (enqueued.instance.queue, enqueued.instance.priority) == ("orders", 0)
    assert (other.instance.queue, other.instance.priority) == ("rush", 3)
    assert ping.instance.queue == "ping"


async def test_it_can_be_read_and_followed_from_its_cursor(process: Process) -> None:
    enqueued = await process.workflows.enqueue(order())
    found = await process.workflows.get(enqueued.instance.id)
    assert found is not None
    assert found.cursor == enqueued.cursor == enqueued.instance.cursor
    assert replace(found, cursor="") == replace(enqueued.instance, cursor="")


async def test_what_is_not_registered_here_is_refused(process: Process) -> None:
    with pytest.raises(UnknownWorkflow, match="order, ping"):
        await process.workflows.enqueue(EnqueueRequest(name="fax"))


async def test_every_fault_is_told_at_once(process: Process) -> None:
    request = order({"item": 1, "count": "x"}, queue="", priority=2**40, singleton_key=" ")
    with pytest.raises(InvalidParams) as caught:
        await process.workflows.enqueue(request)
    assert {fault.path for fault in caught.value.faults} == {
        ("queue",),
        ("priority",),
        ("singletonKey",),
        ("params", "item"),
        ("params", "count"),
    }
    assert process.fed == []


@pytest.mark.parametrize(
    "params",
    [
        {"item": "\ud800"},
        {"item": "a\0b"},
        {"item": "book", "count": 2**53},
        {"item": "book", "count": float("nan")},
        {"item": "book", "notes": float("inf")},
        [],
        "book",
        {},
    ],
)
async def test_what_can_not_be_kept_is_refused(process: Process, params: object) -> None:
    with pytest.raises(InvalidParams):
        await process.workflows.enqueue(order(params))
    assert process.fed == []


@pytest.mark.parametrize(
    "given",
    [
        {"queue": "q" * 201},
        {"idempotency_key": ""},
        {"idempotency_key": "\ud800"},
        {"singleton_key": "a\0"},
        {"request_id": ""},
        {"request_id": "r" * 201},
        {"priority": 1.5},
        {"priority": True},
    ],
)
async def test_names_and_keys_have_their_limits(process: Process, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidParams):
        await process.workflows.enqueue(order(**given))
    assert process.fed == []


async def test_a_payload_has_its_limit_to_the_byte(process: Process) -> None:
    frame = len('{"item":"","count":1,"notes":[]}')
    fits = await process.workflows.enqueue(order({"item": "x" * (PAYLOAD_LIMIT - frame)}))
    assert fits.instance.input is not None
    assert len(fits.instance.input) == PAYLOAD_LIMIT
    with pytest.raises(PayloadTooLarge, match="10,001 bytes"):
        await process.workflows.enqueue(order({"item": "x" * (PAYLOAD_LIMIT - frame + 1)}))
    with pytest.raises(PayloadTooLarge):
        await process.workflows.enqueue(order({"item": "é" * (PAYLOAD_LIMIT // 2)}))


async def test_an_idempotency_key_with_the_same_params_is_no_conflict(process: Process) -> None:
    first = await process.workflows.enqueue(
        order({"item": "book", "count": 2}, idempotency_key="k")
    )
    for params in ({"count": 2.0, "item": "book"}, {"item": "book", "count": 2}):
        again = await process.workflows.enqueue(order(params, idempotency_key="k"))
        assert (again.created, again.instance.id) == (False, first.instance.id)
    with pytest.raises(IdempotencyConflict):
        await process.workflows.enqueue(order({"item": "book", "count": 3}, idempotency_key="k"))


async def test_a_singleton_is_returned_refused_or_replaced(process: Process) -> None:
    first = await process.workflows.enqueue(order(singleton_key="k"))
    returned = await process.workflows.enqueue(order(singleton_key="k"))
    assert (returned.created, returned.instance.id) == (False, first.instance.id)
    with pytest.raises(SingletonConflict):
        await process.workflows.enqueue(order(singleton_key="k", on_conflict=OnConflict.REFUSE))
    replaced = await process.workflows.enqueue(
        order(singleton_key="k", on_conflict=OnConflict.REPLACE)
    )
    assert replaced.created
    found = await process.workflows.get(first.instance.id)
    assert found is not None
    assert found.status is Status.CANCELLED


async def test_a_repeated_request_gives_the_first_answer(process: Process) -> None:
    first = await process.workflows.enqueue(order(request_id="r"))
    await process.workflows.enqueue(PING)
    again = await process.workflows.enqueue(order(request_id="r"))
    assert (again.instance.id, again.created, again.cursor) == (
        first.instance.id,
        True,
        first.cursor,
    )


@pytest.mark.parametrize(
    "other",
    [
        order({"item": "pen"}, request_id="r"),
        order(request_id="r", priority=1),
        order(request_id="r", queue="rush"),
        order(request_id="r", idempotency_key="k"),
        order(request_id="r", singleton_key="k"),
        order(request_id="r", on_conflict=OnConflict.REFUSE),
        replace(PING, request_id="r"),
    ],
)
async def test_a_request_id_used_for_something_else_is_refused(
    process: Process, other: EnqueueRequest
) -> None:
    await process.workflows.enqueue(order(request_id="r"))
    with pytest.raises(IdempotencyConflict):
        await process.workflows.enqueue(other)
    assert len(process.fed) == 1


async def test_each_mutation_has_request_ids_of_its_own_kind(process: Process) -> None:
    enqueued = await process.workflows.enqueue(order(request_id="r"))
    instance_id = enqueued.instance.id
    for repeat in (
        process.workflows.cancel(instance_id, "r"),
        process.workflows.retry(instance_id, "r"),
        process.workflows.enqueue_many([order()], "r"),
        process.queues.pause("orders", "r"),
    ):
        with pytest.raises(IdempotencyConflict):
            await repeat
    assert len(process.fed) == 1
