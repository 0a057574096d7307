import asyncio

import pytest

from service.domain import cursor
from service.domain.errors import (
    IdempotencyConflict,
    InvalidCursor,
    InvalidParams,
    InvalidState,
    NotFound,
)
from service.domain.events import EventType
from service.domain.instance import CancelOutcome, Status
from service.domain.listing import InstanceFilter, Order
from service.domain.transitions import fail, retry
from service.operations.page import Window
from tests.operations.authors import order
from tests.services import Place, Process
from tests.store.making import claim, failure, move


async def failed(process: Process) -> str:
    """Return an instance that failed at its second attempt."""
    enqueued = await process.workflows.enqueue(order())
    [held] = await claim(process)
    await move(process, retry(held, failure(held, "first"), 0))
    [held] = await claim(process)
    await move(process, fail(held, failure(held, "second")))
    return enqueued.instance.id


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

    @pytest.mark.parametrize("by", Order)
    async def test_a_list_is_paged_both_ways(self, process: Process, by: Order) -> None:
        enqueued = await process.workflows.enqueue_many([order()] * 23)
        ids = sorted((each.instance.id for each in enqueued), reverse=by is Order.NEWEST_FIRST)
        wanted = InstanceFilter(order=by)
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
    async def test_a_cursor_of_something_else_is_refused(self, process: Process, text: str) -> None:
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
