"""Several processes on one database: A4, A9 and A13."""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

import pytest

from service.client import Client, EventType, Status
from tests.processes import Crew, Process, until
from tests.scale import scaled
from tests.scenarios.notes import BEGAN, ENDED, Notes
from tests.scenarios.raw import rows


@dataclass(frozen=True, slots=True)
class House:
    """An API, two workers, and one of another program."""

    api: Process
    workers: Sequence[Process]


@pytest.fixture(scope="module")
def house(sqlite_module_crew: Crew) -> House:
    sqlite_module_crew.sets(WORKFLOW_LEASE="2s")
    api, *workers = (
        sqlite_module_crew.api(),
        sqlite_module_crew.worker(),
        sqlite_module_crew.worker(),
    )
    sqlite_module_crew.worker(authors="tests.scenarios.others")
    sqlite_module_crew.ready()
    return House(api, workers)


@pytest.fixture
async def client(house: House) -> AsyncIterator[Client]:
    async with Client(house.api.url) as client:
        yield client


async def test_a4_an_action_that_outlasts_its_lease_runs_once(client: Client, notes: Notes) -> None:
    params = {"file": notes.file, "seconds": scaled(4.5, 34)}
    handles = [await client.enqueue("job", {**params, "tag": str(tag)}) for tag in range(4)]
    for handle in handles:
        await handle.result(timeout=60)
    assert notes.runs() == {handle.id: 1 for handle in handles}
    for handle in handles:
        types = [event.type async for event in client.history(handle.id)]
        assert types == [EventType.ENQUEUED, EventType.STARTED, EventType.COMPLETED]


async def test_a9_a_cancel_between_checkpoints_leaves_nothing_behind(
    client: Client, notes: Notes, sqlite_module_crew: Crew
) -> None:
    chance = random.Random(9)
    params = {"job": {"file": notes.file, "seconds": 0.02}, "left": 2_000}

    async def one(key: str) -> Status:
        handle = await client.enqueue("laps", params, singleton_key=key)
        assert handle.created
        await asyncio.sleep(chance.uniform(0, 1))
        await handle.cancel()
        async for _ in handle.watch():
            pass
        ended = await client.handle(handle.id)
        return ended.instance.status

    ends: set[Status] = set()
    for round_ in range(scaled(1, 10)):
        keys = [f"laps-{round_}-{number}" for number in range(40)]
        async with asyncio.timeout(60):
            ends.update(await asyncio.gather(*map(one, keys)))
            again = await asyncio.gather(
                *(client.enqueue("job", params["job"], singleton_key=key) for key in keys),
                *(client.enqueue("laps", {**params, "left": 0}, singleton_key=key) for key in keys),
            )
            for handle in again:
                assert handle.created
                await handle.result()
    assert Status.CANCELLED in ends <= {Status.CANCELLED, Status.COMPLETED}
    left = "SELECT count(*) FROM instances WHERE finished_at IS NULL"
    assert rows(sqlite_module_crew.database, left) == [(0,)]


async def test_a13_a_worker_leaves_what_it_does_not_know_to_those_who_do(
    client: Client, notes: Notes, house: House
) -> None:
    for worker in house.workers:
        worker.freeze()
    try:
        handles = [await client.enqueue("job", {"file": notes.file}) for _ in range(20)]
        await asyncio.sleep(1)  # several ticks of the worker that knows no job
        stood = [(await client.handle(handle.id)).instance.status for handle in handles]
    finally:
        for worker in house.workers:
            worker.thaw()
    assert set(stood) == {Status.PENDING}
    await until(lambda: notes.count(ENDED) == 20)
    assert notes.count(BEGAN) == 20
    for handle in handles:
        types = [event.type async for event in client.history(handle.id)]
        assert types[:2] == [EventType.ENQUEUED, EventType.STARTED]
        assert types.count(EventType.STARTED) == 1
