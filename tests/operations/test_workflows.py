import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

import pytest

from service.domain import cursor
from service.domain.errors import (
    IdempotencyConflict,
    InvalidCursor,
    InvalidParams,
    InvalidState,
    LimitExceeded,
    NotFound,
    PayloadTooLarge,
    SingletonConflict,
    UnknownWorkflow,
)
from service.domain.events import EventType
from service.domain.instance import CancelOutcome, OnConflict, Status
from service.domain.listing import InstanceFilter, Order as ListOrder
from service.domain.transitions import fail, retry
from service.operations.page import Window
from service.operations.workflows import EnqueueRequest
from tests.operations.authors import Order, registry
from tests.services import ENQUEUE_MANY_LIMIT, PAYLOAD_LIMIT, Place, Process
from tests.store.making import claim, failure, move


@pytest.fixture
async def process(place: Place) -> AsyncGenerator[Process]:
    async with place.process(registry()) as opened:
        yield opened


def order(params: object = None, **given: Any) -> EnqueueRequest:
    return EnqueueRequest(
        name="order", params={"item": "book"} if params is None else params, **given
    )


PING = EnqueueRequest(name="ping")


async def failed(process: Process) -> str:
    """Return an instance that failed at its second attempt."""
    enqueued = await process.workflows.enqueue(order())
    [held] = await claim(process)
    await move(process, retry(held, failure(held, "first"), 0))
    [held] = await claim(process)
    await move(process, fail(held, failure(held, "second")))
    return enqueued.instance.id


class TestEnqueue:
    async def test_plain_data_and_the_input_type_are_the_same(self, process: Process) -> None:
        plain = await process.workflows.enqueue(order({"item": "book", "count": 2}))
        typed = await process.workflows.enqueue(order(Order("book", 2)))
        assert plain.instance.input == typed.instance.input
        assert plain.instance.input == '{"item":"book","count":2,"notes":[]}'

    async def test_it_stands_in_the_queue_of_its_workflow(self, process: Process) -> None:
        enqueued = await process.workflows.enqueue(order())
        other = await process.workflows.enqueue(order(queue="rush", priority=3))
        ping = await process.workflows.enqueue(PING)
        assert (enqueued.instance.queue, enqueued.instance.priority) == ("orders", 0)
        assert (other.instance.queue, other.instance.priority) == ("rush", 3)
        assert ping.instance.queue == "ping"

    async def test_it_can_be_read_and_followed_from_its_cursor(self, process: Process) -> None:
        enqueued = await process.workflows.enqueue(order())
        found = await process.workflows.get(enqueued.instance.id)
        assert found is not None
        assert found.cursor == enqueued.cursor == enqueued.instance.cursor
        assert replace(found, cursor="") == replace(enqueued.instance, cursor="")

    async def test_what_is_not_registered_here_is_refused(self, process: Process) -> None:
        with pytest.raises(UnknownWorkflow, match="order, ping"):
            await process.workflows.enqueue(EnqueueRequest(name="fax"))

    async def test_every_fault_is_told_at_once(self, process: Process) -> None:
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
    async def test_what_can_not_be_kept_is_refused(
        self, process: Process, params: object
    ) -> None:
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
    async def test_names_and_keys_have_their_limits(
        self, process: Process, given: dict[str, Any]
    ) -> None:
        with pytest.raises(InvalidParams):
            await process.workflows.enqueue(order(**given))
        assert process.fed == []

    async def test_a_payload_has_its_limit_to_the_byte(self, process: Process) -> None:
        frame = len('{"item":"","count":1,"notes":[]}')
        fits = await process.workflows.enqueue(order({"item": "x" * (PAYLOAD_LIMIT - frame)}))
        assert fits.instance.input is not None
        assert len(fits.instance.input) == PAYLOAD_LIMIT
        with pytest.raises(PayloadTooLarge, match="10,001 bytes"):
            await process.workflows.enqueue(order({"item": "x" * (PAYLOAD_LIMIT - frame + 1)}))
        with pytest.raises(PayloadTooLarge):
            await process.workflows.enqueue(order({"item": "é" * (PAYLOAD_LIMIT // 2)}))

    async def test_an_idempotency_key_with_the_same_params_is_no_conflict(
        self, process: Process
    ) -> None:
        first = await process.workflows.enqueue(
            order({"item": "book", "count": 2}, idempotency_key="k")
        )
        for params in ({"count": 2.0, "item": "book"}, {"item": "book", "count": 2}):
            again = await process.workflows.enqueue(order(params, idempotency_key="k"))
            assert (again.created, again.instance.id) == (False, first.instance.id)
        with pytest.raises(IdempotencyConflict):
            await process.workflows.enqueue(
                order({"item": "book", "count": 3}, idempotency_key="k")
            )

    async def test_a_singleton_is_returned_refused_or_replaced(self, process: Process) -> None:
        first = await process.workflows.enqueue(order(singleton_key="k"))
        returned = await process.workflows.enqueue(order(singleton_key="k"))
        assert (returned.created, returned.instance.id) == (False, first.instance.id)
        with pytest.raises(SingletonConflict):
            await process.workflows.enqueue(
                order(singleton_key="k", on_conflict=OnConflict.REFUSE)
            )
        replaced = await process.workflows.enqueue(
            order(singleton_key="k", on_conflict=OnConflict.REPLACE)
        )
        assert replaced.created
        found = await process.workflows.get(first.instance.id)
        assert found is not None
        assert found.status is Status.CANCELLED

    async def test_a_repeated_request_gives_the_first_answer(self, process: Process) -> None:
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
        self, process: Process, other: EnqueueRequest
    ) -> None:
        await process.workflows.enqueue(order(request_id="r"))
        with pytest.raises(IdempotencyConflict):
            await process.workflows.enqueue(other)
        assert len(process.fed) == 1

    async def test_each_mutation_has_request_ids_of_its_own_kind(self, process: Process) -> None:
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


class TestEnqueueMany:
    async def test_all_come_in_one_commit_and_in_their_order(self, process: Process) -> None:
        enqueued = await process.workflows.enqueue_many(
            [order({"item": str(n)}) for n in range(ENQUEUE_MANY_LIMIT)]
        )
        assert [cursor.decode(each.cursor).position for each in enqueued] == list(
            range(1, ENQUEUE_MANY_LIMIT + 1)
        )
        assert all(f'"{n}"' in str(each.instance.input) for n, each in enumerate(enqueued))
        assert len({event.at for event in process.fed}) == 1

    async def test_the_faults_of_each_are_told_with_its_place(self, process: Process) -> None:
        with pytest.raises(InvalidParams) as caught:
            await process.workflows.enqueue_many([order(), order({}), order(), order(queue="")])
        assert [fault.path for fault in caught.value.faults] == [
            ("items", 1, "params", "item"),
            ("items", 3, "queue"),
        ]
        assert process.fed == []

    async def test_a_conflict_in_the_middle_refuses_all(self, process: Process) -> None:
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

    async def test_an_unknown_workflow_or_a_large_payload_refuses_all(
        self, process: Process
    ) -> None:
        for bad in (EnqueueRequest(name="fax"), order({"item": "x" * PAYLOAD_LIMIT})):
            with pytest.raises((UnknownWorkflow, PayloadTooLarge)):
                await process.workflows.enqueue_many([order(), bad])
        assert process.fed == []

    async def test_one_key_twice_in_a_call_is_one_instance(self, process: Process) -> None:
        first, second = await process.workflows.enqueue_many([order(idempotency_key="k")] * 2)
        assert (first.created, second.created) == (True, False)
        assert first.instance.id == second.instance.id

    async def test_no_more_than_the_limit(self, process: Process) -> None:
        with pytest.raises(LimitExceeded, match="101"):
            await process.workflows.enqueue_many([PING] * (ENQUEUE_MANY_LIMIT + 1))

    async def test_none_is_none(self, process: Process) -> None:
        assert list(await process.workflows.enqueue_many([], "r")) == []

    async def test_a_repeated_request_gives_every_first_answer(self, process: Process) -> None:
        requests = [order(), PING, order(idempotency_key="k")]
        first = await process.workflows.enqueue_many(requests, "r")
        again = await process.workflows.enqueue_many(requests, "r")
        assert [(a.instance.id, a.created, a.cursor) for a in again] == [
            (f.instance.id, f.created, f.cursor) for f in first
        ]
        with pytest.raises(IdempotencyConflict):
            await process.workflows.enqueue_many(requests[::-1], "r")
        assert len(process.fed) == 3


class TestCancel:
    async def test_what_waits_ends_and_what_has_ended_says_so(self, process: Process) -> None:
        enqueued = await process.workflows.enqueue(order())
        cancelled = await process.workflows.cancel(enqueued.instance.id)
        assert (cancelled.outcome, cancelled.instance.status) == (
            CancelOutcome.CANCELLED,
            Status.CANCELLED,
        )
        assert cursor.decode(cancelled.cursor).position == 2
        again = await process.workflows.cancel(enqueued.instance.id)
        assert again.outcome is CancelOutcome.ALREADY_ENDED

    async def test_what_runs_is_asked(self, process: Process) -> None:
        enqueued = await process.workflows.enqueue(order())
        await claim(process)
        cancelled = await process.workflows.cancel(enqueued.instance.id)
        assert (cancelled.outcome, cancelled.instance.cancel_requested) == (
            CancelOutcome.REQUESTED,
            True,
        )

    async def test_a_workflow_that_is_not_known_here_can_be_cancelled(
        self, process: Process, place: Place
    ) -> None:
        enqueued = await process.workflows.enqueue(order())
        async with place.process() as stranger:
            cancelled = await stranger.workflows.cancel(enqueued.instance.id)
        assert cancelled.outcome is CancelOutcome.CANCELLED

    async def test_nobody_can_not_be_cancelled(self, process: Process) -> None:
        with pytest.raises(NotFound):
            await process.workflows.cancel("nobody", "r")

    async def test_a_repeated_request_gives_the_first_answer(self, process: Process) -> None:
        enqueued = await process.workflows.enqueue(order())
        first = await process.workflows.cancel(enqueued.instance.id, "r")
        again = await process.workflows.cancel(enqueued.instance.id, "r")
        assert (again.outcome, again.cursor) == (first.outcome, first.cursor)
        other = await process.workflows.enqueue(order())
        with pytest.raises(IdempotencyConflict):
            await process.workflows.cancel(other.instance.id, "r")


class TestRetry:
    async def test_what_failed_is_put_back(self, process: Process) -> None:
        instance_id = await failed(process)
        requeued = await process.workflows.retry(instance_id)
        assert (requeued.instance.status, requeued.instance.attempts) == (Status.PENDING, 0)
        assert cursor.decode(requeued.cursor).position == len(process.fed)
        assert process.fed[-1].type is EventType.REQUEUED

    async def test_what_has_not_ended_badly_is_refused(self, process: Process) -> None:
        enqueued = await process.workflows.enqueue(order())
        with pytest.raises(InvalidState, match="PENDING"):
            await process.workflows.retry(enqueued.instance.id)
        with pytest.raises(NotFound):
            await process.workflows.retry("nobody")

    async def test_a_double_click_puts_it_back_once(self, process: Process) -> None:
        instance_id = await failed(process)
        answers = await asyncio.gather(
            *(process.workflows.retry(instance_id) for _ in range(2)), return_exceptions=True
        )
        assert sorted(type(answer).__name__ for answer in answers) == ["InvalidState", "Requeued"]

    async def test_a_repeated_request_gives_the_first_answer(self, process: Process) -> None:
        instance_id = await failed(process)
        first = await process.workflows.retry(instance_id, "r")
        again = await process.workflows.retry(instance_id, "r")
        assert again.cursor == first.cursor
        assert process.told().count(EventType.REQUEUED) == 1


class TestReading:
    async def test_one_that_is_not_there_is_none(self, process: Process) -> None:
        assert await process.workflows.get("nobody") is None
        enqueued = await process.workflows.enqueue(order())
        found = await process.workflows.get_many(["nobody", enqueued.instance.id, "nobody"])
        assert [each and each.id for each in found] == [None, enqueued.instance.id, None]

    async def test_what_is_known_is_listed_by_name(self, process: Process) -> None:
        assert [definition.name for definition in process.workflows.known()] == ["order", "ping"]

    @pytest.mark.parametrize("order_", ListOrder)
    async def test_a_list_is_paged_both_ways(self, process: Process, order_: ListOrder) -> None:
        enqueued = await process.workflows.enqueue_many([order()] * 23)
        ids = sorted((each.instance.id for each in enqueued), reverse=order_ == "NEWEST_FIRST")
        wanted = InstanceFilter(order=order_)
        seen: list[str] = []
        after: str | None = None
        while True:
            page = await process.workflows.list(wanted, Window(first=5, after=after))
            assert page.has_previous == bool(after)
            seen.extend(node.id for node in page.nodes)
            if not page.has_next:
                break
            after = page.edges[-1].cursor
        assert seen == ids
        seen, before = [], None
        while True:
            page = await process.workflows.list(wanted, Window(last=5, before=before))
            assert page.has_next == bool(before)
            seen = [node.id for node in page.nodes] + seen
            if not page.has_previous:
                break
            before = page.edges[0].cursor
        assert seen == ids

    async def test_a_list_can_be_followed_from_its_cursor(self, process: Process) -> None:
        enqueued = await process.workflows.enqueue(order())
        page = await process.workflows.list(InstanceFilter(), Window(first=0))
        assert (list(page.nodes), page.has_next, page.cursor) == ([], True, enqueued.cursor)

    @pytest.mark.parametrize("text", ["x", "é", cursor.encode(1, 2)])
    async def test_a_cursor_of_something_else_is_refused(
        self, process: Process, text: str
    ) -> None:
        for window in (Window(after=text), Window(before=text)):
            with pytest.raises(InvalidCursor):
                await process.workflows.list(InstanceFilter(), window)

    async def test_failures_are_paged_forward(self, process: Process) -> None:
        instance_id = await failed(process)
        first = await process.workflows.failures(instance_id, Window(first=1))
        assert ([node.message for node in first.nodes], first.has_next) == (["first"], True)
        after = first.edges[0].cursor
        rest = await process.workflows.failures(instance_id, Window(first=1, after=after))
        assert ([node.message for node in rest.nodes], rest.has_next) == (["second"], False)
        for window in (Window(last=1), Window(before=after)):
            with pytest.raises(InvalidParams):
                await process.workflows.failures(instance_id, window)
        with pytest.raises(InvalidCursor):
            await process.workflows.failures("another", Window(after=after))
