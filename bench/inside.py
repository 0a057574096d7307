"""The service inside this process, as a program that embeds it has it."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from bench.mutation import PARAMS
from bench.workflows import workflows
from service.bootstrap import Service, open_service
from service.domain.events import Event, EventType
from service.domain.interest import Interest
from service.operations.workflows import EnqueueRequest
from service.settings import Settings

CHUNK = 500


@asynccontextmanager
async def inside(url: str, *, worker: bool) -> AsyncGenerator[Service]:
    """Open a service on a database."""
    settings = Settings.read(database=url)
    async with open_service(settings, workflows, worker=worker) as service:
        yield service


def request(name: str) -> EnqueueRequest:
    """Return what enqueues a workflow of the benches."""
    return EnqueueRequest(name=name, params=PARAMS)


async def enqueue_paused(service: Service, name: str, total: int) -> str:
    """Fill a queue that is paused; return the cursor after which its instances start."""
    await service.queues.pause(name)
    cursor = ""
    for first in range(0, total, CHUNK):
        size = min(CHUNK, total - first)
        enqueued = await service.workflows.enqueue_many([request(name) for _ in range(size)])
        cursor = enqueued[-1].cursor
    return cursor


def ended(service: Service, name: str, after: str | None) -> AsyncGenerator[Sequence[Event]]:
    """Follow what of a workflow is completed after the cursor, in batches."""
    interest = Interest(name=name, types=frozenset({EventType.COMPLETED}))
    return service.events.batches(interest, after)
