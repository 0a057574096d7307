import pytest

from service.domain.errors import IdempotencyConflict, InvalidParams, NotFound
from service.operations.workflows import EnqueueRequest
from tests.services import Place, Process


async def test_the_queue_of_every_workflow_is_listed(process: Process) -> None:
    assert [view.name for view in await process.queues.list()] == ["orders", "ping"]
    await process.workflows.enqueue(EnqueueRequest(name="ping", queue="elsewhere"))
    assert [view.name for view in await process.queues.list()] == ["elsewhere", "orders", "ping"]


async def test_pausing_and_resuming_give_the_queue_as_it_is_then(process: Process) -> None:
    await process.workflows.enqueue(EnqueueRequest(name="ping"))
    paused = await process.queues.pause("ping")
    assert (paused.name, paused.paused, paused.pending) == ("ping", True, 1)
    assert (await process.queues.pause("ping")).paused
    assert not (await process.queues.resume("ping")).paused
    assert not (await process.queues.resume("ping")).paused


async def test_a_queue_that_is_not_there_is_said_not_to_be(process: Process) -> None:
    for change in (process.queues.pause, process.queues.resume):
        with pytest.raises(NotFound, match="'nowhere'"):
            await change("nowhere")
    assert [view.name for view in await process.queues.list()] == ["orders", "ping"]


async def test_what_can_be_no_name_is_refused(process: Process) -> None:
    for name in ("", " ", "a\0", "q" * 201):
        with pytest.raises(InvalidParams):
            await process.queues.pause(name)


async def test_a_queue_of_another_process_can_be_paused_while_it_is_in_use(
    process: Process, place: Place
) -> None:
    await process.workflows.enqueue(EnqueueRequest(name="ping"))
    async with place.process() as stranger:
        assert (await stranger.queues.pause("ping")).paused
        with pytest.raises(NotFound):
            await stranger.queues.pause("orders")


async def test_a_repeated_request_does_not_pause_again(process: Process) -> None:
    await process.queues.pause("orders", "r")
    await process.queues.resume("orders")
    await process.queues.pause("orders", "r")
    assert not (await process.queues.list())[0].paused


async def test_a_request_id_used_for_something_else_is_refused(process: Process) -> None:
    await process.queues.pause("orders", "r")
    for other in (process.queues.pause("ping", "r"), process.queues.resume("orders", "r")):
        with pytest.raises(IdempotencyConflict):
            await other
    assert [view.paused for view in await process.queues.list()] == [True, False]
