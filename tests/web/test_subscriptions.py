"""What is followed: every event once, in order; an instance as it stands."""

import asyncio
import json
from typing import Any

from service.domain import cursor
from service.runtime.clock import SystemClock
from service.store.opening import migrate_database
from tests.scenarios.raw import alter
from tests.web.conftest import Serve
from tests.web.running import Running, Talk

FOLLOW = """subscription S($after: String, $id: ID, $name: String, $types: [WorkflowEventType!]) {
  workflowEvents(after: $after, instanceID: $id, name: $name, types: $types) {
    cursor type instanceID name status
  }
}"""
WATCH = """subscription S($id: ID!) {
  workflowInstance(instanceID: $id) { status cursor attempts output }
}"""


async def take(talk: Talk, count: int) -> list[Any]:
    return [await talk.next() for _ in range(count)]


async def test_events_arrive_as_they_are_written(serve: Serve) -> None:
    server = serve(worker=True)
    async with server.socket() as talk:
        await talk.subscribe("1", FOLLOW)
        await server.until(lambda: server.service.emitter.parked)
        made = await asyncio.to_thread(server.enqueue)
        events = await take(talk, 3)
        assert [event["type"] for event in events] == ["ENQUEUED", "STARTED", "COMPLETED"]
        assert {event["instanceID"] for event in events} == {made["instance"]["id"]}
        assert events[0]["cursor"] == made["cursor"]


async def test_nothing_is_missed_or_repeated_over_broken_connections(serve: Serve) -> None:
    server = serve()
    seen: list[str] = []
    after = ""
    written = 0
    while len(seen) < 400:
        async with server.socket() as talk:
            await talk.subscribe("1", FOLLOW, after=after)
            if written < 400:
                await asyncio.to_thread(server.enqueue_many, 50)
                written += 50
            for event in await take(talk, min(37, 400 - len(seen))):
                seen.append(event["cursor"])
                after = event["cursor"]
            talk.connection.transport.abort()
    positions = [cursor.decode(each).position for each in seen]
    assert positions == list(range(1, 401))


async def test_a_cursor_of_a_query_leaves_no_gap(serve: Serve) -> None:
    server = serve()
    server.enqueue_many(3)
    head = server.data("{ workflowInstances { cursor } }")["cursor"]
    made = server.enqueue()
    async with server.socket() as talk:
        await talk.subscribe("1", FOLLOW, after=head)
        assert (await talk.next())["instanceID"] == made["instance"]["id"]


async def test_filters_hold_together(serve: Serve) -> None:
    server = serve(worker=True)
    async with server.socket() as talk:
        await talk.subscribe("1", FOLLOW, after="", name="order", types=["COMPLETED"])
        await asyncio.to_thread(server.enqueue_many, 5)
        made = await asyncio.to_thread(server.enqueue, "order", {"cents": 3})
        event = await talk.next()
        assert (event["type"], event["instanceID"]) == ("COMPLETED", made["instance"]["id"])


async def test_an_empty_list_of_types_matches_nothing(server: Running) -> None:
    async with server.socket() as talk:
        await talk.subscribe("1", FOLLOW, after="", types=[])
        await asyncio.to_thread(server.enqueue)
        await talk.subscribe("2", "{ __typename }")
        assert await talk.next("2") == "Query"


async def test_positions_past_what_an_int_holds(serve: Serve, url: str) -> None:
    migrate_database(url, busy_timeout=5, clock=SystemClock())
    border = 2**31 - 2
    alter(url, "UPDATE log SET head = ?, pruned = ?", border, border)
    server = serve()
    async with server.socket() as talk:
        await talk.subscribe("1", FOLLOW, after="")
        made = await asyncio.to_thread(server.enqueue_many, 5)
        events = await take(talk, 5)
    positions = [cursor.decode(event["cursor"]).position for event in events]
    assert positions == list(range(border + 1, border + 6))
    async with server.socket() as talk:
        await talk.subscribe("1", FOLLOW, after=events[1]["cursor"])
        assert (await talk.next())["instanceID"] == made[2]["instance"]["id"]


async def test_an_instance_is_followed_from_now_on(serve: Serve) -> None:
    server = serve()
    made = server.enqueue()["instance"]["id"]
    async with server.socket() as talk:
        await talk.subscribe("1", WATCH, id=made)
        assert (await talk.next())["status"] == "PENDING"
        cancel = "mutation M($i: CancelInput!) { cancel(input: $i) { outcome } }"
        await asyncio.to_thread(server.data, cancel, i={"instanceID": made})
        assert (await talk.next())["status"] == "CANCELLED"
        retry = "mutation M($i: RetryInput!) { retry(input: $i) { cursor } }"
        await asyncio.to_thread(server.data, retry, i={"instanceID": made})
        assert (await talk.next())["status"] == "PENDING"


async def test_changes_of_an_instance_that_come_together_are_told_of_as_one(serve: Serve) -> None:
    server = serve(worker=True)
    made = server.enqueue()["instance"]["id"]
    await server.until(lambda: server.head == 3)
    async with server.socket() as talk:
        await talk.subscribe("1", WATCH, id=made)
        assert await talk.next() == {
            "status": "COMPLETED",
            "cursor": server.data("{ workflowInstances { cursor } }")["cursor"],
            "attempts": 0,
            "output": "hello",
        }
        assert server.service.emitter.listeners == 1


async def test_a_subscriber_that_does_not_read_gets_everything_later(serve: Serve) -> None:
    server = serve(ring_events=100)
    async with server.socket(max_queue=1) as talk:
        await talk.subscribe("1", FOLLOW, after="")
        for _ in range(6):
            await asyncio.to_thread(server.enqueue_many, 1_000)
        events = await take(talk, 6_000)
        positions = [cursor.decode(event["cursor"]).position for event in events]
        assert positions == list(range(1, 6_001))


async def test_many_ask_the_same_and_all_are_told(serve: Serve) -> None:
    server = serve()

    async def one(talk: Talk) -> list[Any]:
        await talk.subscribe("1", FOLLOW, after="")
        return await take(talk, 100)

    async with server.socket() as a, server.socket() as b, server.socket() as c:
        told = asyncio.gather(one(a), one(b), one(c))
        await asyncio.to_thread(server.enqueue_many, 100)
        first, second, third = await told
    assert first == second == third
    assert len({json.dumps(event) for event in first}) == 100
