import asyncio

import pytest

from service.client.stream import CAPACITY, ConnectionLost, Lagged, Stream


async def test_gives_what_came_before_the_end_and_then_its_reason() -> None:
    stream = Stream("1")
    stream.put({"data": 1})
    stream.put({"data": 2})
    stream.end(ConnectionLost("gone"))
    stream.end(Lagged())
    assert [await stream.read(), await stream.read()] == [{"data": 1}, {"data": 2}]
    for _ in range(2):
        with pytest.raises(ConnectionLost):
            await stream.read()


async def test_wakes_who_waits() -> None:
    stream = Stream("1")
    reading = asyncio.create_task(stream.read())
    await asyncio.sleep(0)
    stream.put({"data": 1})
    assert await reading == {"data": 1}


def test_knows_when_it_is_full() -> None:
    stream = Stream("1")
    for number in range(CAPACITY):
        assert not stream.full
        stream.put({"data": number})
    assert stream.full
