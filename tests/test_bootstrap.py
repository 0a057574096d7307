"""A whole service, or several on one database, on a clock that stands still unless it is moved."""

import asyncio
import threading
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest

from service.bootstrap import Service, link, open_service
from service.domain.context import Context
from service.domain.definition import Ended
from service.domain.errors import Unavailable
from service.domain.events import EventType
from service.domain.instance import CancelOutcome, Status
from service.domain.interest import EVERYTHING, Interest
from service.domain.registry import Workflows
from service.operations.workflows import EnqueueRequest
from service.settings import Settings
from tests.clock import FakeClock
from tests.services import Place, clock, place, until

__all__ = ["clock", "place"]


class Author:
    """The workflows of a program: `job` ends at once, `wait` when it is stopped."""

    def __init__(self) -> None:
        self.registry = Workflows()
        self.ran: list[str] = []
        self.stopped: list[str] = []
        self.hooked: list[tuple[str, Status]] = []
        self.registry.queue("job", concurrency=7)

        async def hook(ended: Ended[Any]) -> None:
            self.hooked.append((ended.instance_id, ended.status))

        @self.registry.workflow(on_terminal=hook)
        async def job(ctx: Context[None], params: None) -> None:
            self.ran.append(ctx.instance_id)

        @self.registry.workflow
        async def wait(ctx: Context[None], params: None) -> None:
            self.ran.append(ctx.instance_id)
            try:
                await asyncio.sleep(3_600)
            finally:
                self.stopped.append(ctx.instance_id)


@asynccontextmanager
async def opened(
    place: Place, author: Author, *, worker: bool = True, **given: object
) -> AsyncGenerator[Service]:
    settings = Settings.read(database=place.url, lease="1h", heartbeat="20m", grace=0, **given)
    async with open_service(settings, author.registry, clock=place.clock, worker=worker) as service:
        yield service


async def enqueue(service: Service, name: str = "job") -> str:
    return (await service.workflows.enqueue(EnqueueRequest(name=name))).instance.id


async def status(service: Service, instance_id: str) -> Status | None:
    found = await service.workflows.get(instance_id)
    return None if found is None else found.status


async def poll(place: Place) -> None:
    """Let as much time pass as lies between two looks at what other processes wrote."""
    """Let as much time pass as lies between two looks at what other processes wrote."""
    await place.clock.advance(Settings.read().poll.total_seconds() + 0.01)


async def test_it_runs_what_is_enqueued(place: Place) -> None:
    author = Author()
    async with opened(place, author) as service:
        instance_id = await enqueue(service)
        await until(lambda: author.hooked)
        assert author.hooked == [(instance_id, Status.COMPLETED)]
        assert await status(service, instance_id) is Status.COMPLETED


async def test_without_a_worker_it_only_takes_and_tells(place: Place) -> None:
    author = Author()
    async with opened(place, author, worker=False) as service:
        assert service.worker is None
        instance_id = await enqueue(service)
        await place.clock.advance(10)
        assert await status(service, instance_id) is Status.PENDING
        await service.drain(1)
        assert service.abandon() == 0
    async with opened(place, author):
        await until(lambda: author.hooked)


async def test_a_hook_runs_though_only_an_api_was_there_to_cancel(place: Place) -> None:
    author = Author()
    async with opened(place, author, worker=False) as service:
        instance_id = await enqueue(service)
        cancelled = await service.workflows.cancel(instance_id)
        assert cancelled.outcome is CancelOutcome.CANCELLED
    assert author.hooked == []
    async with opened(place, author):
        await until(lambda: author.hooked)
    assert author.hooked == [(instance_id, Status.CANCELLED)]


async def test_what_the_code_says_of_queues_is_declared(place: Place) -> None:
    async with opened(place, Author(), worker=False) as service:
        views = {view.name: view.concurrency for view in await service.queues.list()}
        assert views == {"job": 7, "wait": None}


async def test_events_of_another_process_are_here_within_a_poll(place: Place) -> None:
    author = Author()
    async with (
        opened(place, author, worker=False) as one,
        opened(place, author, worker=False) as two,
        aclosing(two.events.follow(EVERYTHING, None)) as events,
    ):
        following = asyncio.create_task(anext(events))
        await until(lambda: two.emitter.parked)
        instance_id = await enqueue(one)
        await poll(place)
        await until(following.done)
        assert following.result().instance_id == instance_id


async def test_a_cancel_in_another_process_is_noticed(place: Place) -> None:
    author = Author()
    async with opened(place, author) as worker, opened(place, author, worker=False) as api:
        instance_id = await enqueue(api, "wait")
        await poll(place)
        await until(lambda: author.ran)
        cancelled = await api.workflows.cancel(instance_id)
        assert cancelled.outcome is CancelOutcome.REQUESTED
        await poll(place)
        await until(lambda: author.stopped)
        await until(lambda: not worker.worker or not worker.worker.runner.held())
        assert await status(api, instance_id) is Status.CANCELLED


async def test_two_services_of_one_process_hear_each_other_at_once(place: Place) -> None:
    author = Author()
    async with (
        opened(place, author, worker=False) as api,
        opened(place, author) as worker,
    ):
        link(api, worker)
        interest = Interest(types=frozenset({EventType.COMPLETED}))
        async with aclosing(api.events.follow(interest, None)) as events:
            following = asyncio.create_task(anext(events))
            await until(lambda: api.emitter.parked)
            instance_id = await enqueue(api)
            await until(following.done)  # the clock stands still: no poll told of it
            assert following.result().instance_id == instance_id
        assert len(api.health.pulses) == len(worker.health.pulses) == 1


async def test_its_end_gives_back_what_runs(place: Place) -> None:
    author = Author()
    async with opened(place, author) as service:
        instance_id = await enqueue(service, "wait")
        await until(lambda: author.ran)
        assert (await service.health.ready()).ok
    assert author.stopped == [instance_id]
    async with opened(place, author) as service:
        await until(lambda: len(author.ran) == 2)
        assert author.ran == [instance_id] * 2


async def test_a_draining_service_is_not_ready_and_claims_no_more(place: Place) -> None:
    author = Author()
    async with opened(place, author) as service:
        await service.drain(0)
        assert not (await service.health.ready()).ok
        await enqueue(service)
        await place.clock.advance(5)
        assert author.ran == []


async def test_readers_end_with_it(place: Place) -> None:
    async with opened(place, Author(), worker=False) as service:
        following = asyncio.create_task(anext(service.events.follow(EVERYTHING, None), "the end"))
        await until(lambda: service.emitter.parked)
    assert await following == "the end"


async def test_it_leaves_no_thread_and_no_task(place: Place) -> None:
    threads, tasks = set(threading.enumerate()), asyncio.all_tasks()
    for _ in range(3):
        async with opened(place, Author()) as service:
            await enqueue(service)
    assert asyncio.all_tasks() == tasks
    await until(
        lambda: all(
            thread.name.startswith("asyncio_") for thread in set(threading.enumerate()) - threads
        )
    )


@pytest.mark.parametrize("url", ["sqlite:////nowhere/wf.db", "postgresql://127.0.0.1:9/wf"])
async def test_a_database_that_can_not_be_opened_is_said(url: str) -> None:
    with pytest.raises(Unavailable):
        async with opened(Place(url, FakeClock()), Author()):
            raise AssertionError("never reached")
