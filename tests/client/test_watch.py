import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from datetime import timedelta

import pytest

from service.client import Client, ConnectionFailed, Event, RequestRefused, UnexpectedAnswer
from service.client.sockets import ROOM
from service.client.stream import CAPACITY
from tests.client.scripted import Talk, event, talking

SOON = timedelta(seconds=1)


async def watched(client: Client, number: int, after: str = "c0") -> list[str]:
    """Return the cursors of the next events."""
    cursors: list[str] = []
    async with aclosing(client.watch("i1", after=after)) as events:
        async for each in events:
            cursors.append(each.cursor)
            if len(cursors) == number:
                break
    return cursors


async def test_goes_on_after_the_last_event_however_the_connection_ends() -> None:
    asked: list[str] = []

    def cut(*numbers: int, code: int) -> Callable[[Talk], Awaitable[None]]:
        async def talk(talk: Talk) -> None:
            subscription = await talk.welcome()
            asked.append(subscription["payload"]["variables"]["after"])
            await talk.tell(subscription["id"], *map(event, numbers))
            if code:
                await talk.connection.close(code)
            else:
                talk.connection.transport.abort()

        return talk

    async def complete(talk: Talk) -> None:
        subscription = await talk.welcome()
        asked.append(subscription["payload"]["variables"]["after"])
        await talk.tell(subscription["id"], event(6))
        await talk.say(id=subscription["id"], type="complete")
        subscription = await talk.heard()
        asked.append(subscription["payload"]["variables"]["after"])
        await talk.tell(subscription["id"], event(7))
        await talk.connection.wait_closed()

    talks = cut(1, 2, code=1012), cut(code=1001), cut(3, 4, code=0), cut(5, code=1011), complete
    async with talking(*talks) as url, Client(url) as client:
        assert await watched(client, 7) == [f"c{number}" for number in range(1, 8)]
    assert asked == ["c0", "c2", "c2", "c4", "c5", "c6"]


async def test_an_error_of_the_subscription_is_raised() -> None:
    async def talk(talk: Talk) -> None:
        subscription = await talk.welcome()
        error = {"message": "Pruned.", "extensions": {"code": "CURSOR_EXPIRED"}}
        await talk.say(id=subscription["id"], type="error", payload=[error])
        await talk.connection.wait_closed()

    async with talking(talk) as url, Client(url) as client:
        with pytest.raises(RequestRefused, match="CURSOR_EXPIRED"):
            await watched(client, 1)


async def test_an_error_in_an_event_is_raised() -> None:
    async def talk(talk: Talk) -> None:
        subscription = await talk.welcome()
        error = {"message": "Pruned.", "extensions": {"code": "CURSOR_EXPIRED"}}
        payload = {"data": None, "errors": [error]}
        await talk.say(id=subscription["id"], type="next", payload=payload)
        await talk.connection.wait_closed()

    async with talking(talk) as url, Client(url) as client:
        with pytest.raises(RequestRefused, match="CURSOR_EXPIRED"):
            await watched(client, 1)


async def test_an_outage_of_the_database_is_waited_for() -> None:
    async def unavailable(talk: Talk) -> None:
        subscription = await talk.welcome()
        error = {"message": "Busy.", "extensions": {"code": "UNAVAILABLE"}}
        await talk.say(id=subscription["id"], type="error", payload=[error])
        subscription = await talk.heard()
        await talk.tell(subscription["id"], event(1))
        await talk.connection.wait_closed()

    async with talking(unavailable) as url, Client(url) as client:
        assert await watched(client, 1) == ["c1"]


@pytest.mark.parametrize(("code", "name"), [(4401, "UNAUTHENTICATED"), (4403, "FORBIDDEN")])
async def test_a_refused_connection_is_not_made_again(code: int, name: str) -> None:
    async def talk(talk: Talk) -> None:
        await talk.connection.close(code, "no")

    async with talking(talk) as url, Client(url) as client:
        with pytest.raises(RequestRefused, match=name):
            await watched(client, 1)


async def test_a_server_that_does_not_understand_is_told_apart() -> None:
    async def talk(talk: Talk) -> None:
        await talk.connection.close(4400, "what?")

    async with talking(talk) as url, Client(url) as client:
        with pytest.raises(UnexpectedAnswer, match="4400 what"):
            await watched(client, 1)


async def test_gives_up_when_patience_is_spent(caplog: pytest.LogCaptureFixture) -> None:
    async def talk(talk: Talk) -> None:
        await talk.connection.close(1012)

    async with talking(talk) as url, Client(url, patience=SOON) as client:
        with caplog.at_level(logging.WARNING), pytest.raises(ConnectionFailed):
            await watched(client, 1)
    assert len(caplog.messages) == 1


async def test_answers_pings_before_and_after_the_handshake() -> None:
    async def talk(talk: Talk) -> None:
        assert (await talk.heard())["type"] == "connection_init"
        await talk.say(type="ping")
        assert (await talk.heard())["type"] == "pong"
        await talk.say(type="connection_ack")
        subscription = await talk.heard()
        await talk.say(type="ping")
        assert (await talk.heard())["type"] == "pong"
        await talk.tell(subscription["id"], event(1))
        await talk.connection.wait_closed()

    async with talking(talk) as url, Client(url) as client:
        assert await watched(client, 1) == ["c1"]


async def test_who_stops_watching_frees_the_server() -> None:
    freed: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def talk(talk: Talk) -> None:
        subscription = await talk.welcome()
        await talk.tell(subscription["id"], event(1))
        message = await talk.heard()
        assert message["type"] == "complete"
        freed.set_result(message["id"])

    async with talking(talk) as url, Client(url) as client:
        await watched(client, 1)
        assert await freed == "1"


async def test_a_slow_reader_keeps_little_and_misses_nothing() -> None:
    total = 3 * CAPACITY
    subscriptions = 0

    async def talk(talk: Talk) -> None:
        nonlocal subscriptions
        subscription = await talk.welcome()
        while True:
            subscriptions += 1
            first = int(subscription["payload"]["variables"]["after"][1:]) + 1
            await talk.tell(subscription["id"], *map(event, range(first, total + 1)))
            while (subscription := await talk.heard())["type"] != "subscribe":
                pass

    seen: list[str] = []
    async with (
        talking(talk) as url,
        Client(url) as client,
        aclosing(client.watch("i1", after="c0")) as events,
    ):
        async for each in events:
            if not seen:
                await asyncio.sleep(0.5)
            seen.append(each.cursor)
            if len(seen) == total:
                break
    assert seen == [f"c{number}" for number in range(1, total + 1)]
    assert subscriptions > 1


async def test_watchers_share_sockets_but_not_more_than_a_server_allows() -> None:
    loads: list[int] = []

    async def talk(talk: Talk) -> None:
        place = len(loads)
        loads.append(0)
        message = await talk.welcome()
        while True:
            if message["type"] == "subscribe":
                loads[place] += 1
                await talk.tell(message["id"], event(1))
            message = await talk.heard()

    watchers = ROOM + 10
    barrier = asyncio.Barrier(watchers)

    async def watch(client: Client) -> None:
        async with aclosing(client.watch("i1", after="c0")) as events:
            assert isinstance(await anext(events), Event)
            await barrier.wait()

    async with talking(talk) as url, Client(url) as client:
        await asyncio.gather(*(watch(client) for _ in range(watchers)))
    assert loads == [ROOM, 10]
