"""Caps, rates and how fast a queue drains: A1, A2 and A3.

The server looks for work by itself once a minute only: whatever goes on before, goes on because
something told it.
"""

import asyncio
import time

import pytest

from service.client import Client, EventType
from tests.processes import Crew, Process, until
from tests.scenarios.notes import BEGAN, ENDED, Notes, overlap

RATE, BURST = 2, 10
"""What queue `limited` allows: a second, and at once."""

RARELY = "60s"


@pytest.fixture(scope="module")
def server(sqlite_module_crew: Crew) -> Process:
    server = sqlite_module_crew.serve(WORKFLOW_TICK=RARELY)
    sqlite_module_crew.ready()
    return server


async def enqueue(client: Client, notes: Notes, queue: str, count: int, seconds: float = 0) -> None:
    """Enqueue so many jobs at once."""
    params = {"file": notes.file, "seconds": seconds}
    await asyncio.gather(*(client.enqueue("job", params, queue=queue) for _ in range(count)))


async def test_a1_a_cap_of_one_holds_in_one_process(server: Process, notes: Notes) -> None:
    async with Client(server.url) as client:
        await enqueue(client, notes, "one", 50, seconds=0.005)
    await until(lambda: notes.count(ENDED) == 50)
    assert overlap(notes.all()) == 1
    assert set(notes.runs().values()) == {1}


async def test_a1_a_cap_of_one_holds_over_three_processes(sqlite_crew: Crew, notes: Notes) -> None:
    servers = [sqlite_crew.serve(), sqlite_crew.worker(), sqlite_crew.worker()]
    sqlite_crew.ready()
    async with Client(servers[0].url) as client:
        await enqueue(client, notes, "one", 50, seconds=0.005)
        await enqueue(client, notes, "three", 60, seconds=0.005)
        await until(lambda: notes.count(ENDED) == 110)
        queue_of = {each.id: each.queue async for each in client.list()}
    lines = notes.all()
    assert overlap(each for each in lines if queue_of[each.instance] == "one") == 1
    assert overlap(each for each in lines if queue_of[each.instance] == "three") <= 3
    assert len({each.process for each in lines}) > 1
    assert set(notes.runs().values()) == {1}


async def test_a2_a_rate_holds_and_its_bucket_is_not_filled_by_a_new_start(
    sqlite_crew: Crew, notes: Notes
) -> None:
    server = sqlite_crew.serve()
    sqlite_crew.ready()
    before = time.monotonic()
    async with Client(server.url) as client:
        await enqueue(client, notes, "limited", 40)
        await until(lambda: notes.count(BEGAN) >= BURST)
        server.kill()
        for start in (sqlite_crew.serve, sqlite_crew.worker, sqlite_crew.worker):
            start(port=server.port if start == sqlite_crew.serve else None)
        sqlite_crew.ready()
        begun = notes.count(BEGAN)
        await until(lambda: notes.count(BEGAN) >= begun + 3)
        at = [
            event.at.timestamp()
            async for each in client.list(queues=["limited"])
            async for event in client.history(each.id)
            if event.type is EventType.STARTED
        ]
    elapsed = time.monotonic() - before
    assert notes.count(BEGAN) <= BURST + RATE * elapsed
    at.sort()
    for first in range(len(at)):
        for last in range(first, len(at)):
            assert last - first + 1 <= BURST + RATE * (at[last] - at[first])


async def test_a3_an_end_lets_the_next_one_begin(server: Process, notes: Notes) -> None:
    async with Client(server.url) as client:
        await enqueue(client, notes, "one", 10)
    await until(lambda: notes.count(ENDED) == 10)
    assert overlap(notes.all()) == 1


async def test_a3_an_end_in_one_process_lets_the_next_one_begin_in_another(
    sqlite_crew: Crew, notes: Notes
) -> None:
    sqlite_crew.sets(WORKFLOW_TICK=RARELY)
    one, other = sqlite_crew.serve(), sqlite_crew.serve(authors="tests.scenarios.others")
    sqlite_crew.ready()
    async with Client(one.url) as client, Client(other.url) as guest:
        for turn in range(5):
            tag = str(turn)
            params = {"file": notes.file, "tag": tag, "seconds": 0.2}
            await client.enqueue("job", params, queue="one")
            await until(lambda tag=tag: notes.words(tag) == [BEGAN])
            await guest.enqueue("visitor", params)
            await until(lambda tag=tag: notes.words(tag) == [BEGAN, ENDED] * 2)
    assert len({each.process for each in notes.all()}) == 2
