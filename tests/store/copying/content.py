"""Databases with something in them, and what is in them."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from service.domain.queue import QueuePolicy
from service.domain.transitions import complete, fail
from service.store.copying.pages import pages
from service.store.copying.tables import TABLES
from service.store.database import Database, Row
from service.store.enqueue import Enqueue
from service.store.migrate import Purpose
from service.store.opening import open_database
from service.store.queues import DeclareQueues
from tests.clock import FakeClock
from tests.services import Place, Process
from tests.store.making import asked, claim, enqueue, failure, launch, move, running

ODD = 'é 🙂 "quoted" \\ back\nslash \x01 {a,b} NULL'


class CutOff(Exception):
    """Stands for whatever ends a process."""


def unseen(*_: object) -> None:
    """Show nobody how far the copy is."""


def cutting(after: int) -> Callable[..., None]:
    """Return what cuts a copy off when it tells how far it is for the nth time."""
    told: list[object] = []

    def tell(*each: object) -> None:
        told.append(each)
        if len(told) > after:
            raise CutOff

    return tell


@asynccontextmanager
async def opened(place: Place, purpose: Purpose = Purpose.COPY_INTO) -> AsyncGenerator[Database]:
    database = await open_database(place.url, busy_timeout=5, clock=place.clock, purpose=purpose)
    try:
        yield database
    finally:
        await database.close()


async def content(database: Database) -> dict[str, list[Row]]:
    return {
        table.name: [row async for page in pages(database, table) for row in page]
        for table in TABLES
    }


async def filled(process: Process, clock: FakeClock) -> None:
    """Leave something in every table, and an instance whose worker was lost."""
    await process.store.write(DeclareQueues(policies=[QueuePolicy("orders", concurrency=20)]))
    await enqueue(process, idempotency_key=ODD, input=f'"{"x" * 5000}"')
    await enqueue(process, singleton_key="k", hooked=True)
    for held in await claim(process, 2):
        done = complete(held, '"ok"') if held.hooked else fail(held, failure(held, ODD))
        await move(process, done)
    await process.store.write(Enqueue(launches=[launch(priority=-3)], request=asked("mine")))
    await running(process)
    await clock.advance(40)
