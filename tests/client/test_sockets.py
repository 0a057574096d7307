import asyncio
from datetime import timedelta

import pytest

from service.client import sockets
from service.client.sockets import Sockets


class Idle:
    """A socket that lives until it is closed."""

    alive = True
    load = 0

    async def close(self) -> None:
        self.alive = False


async def test_who_asks_while_one_is_opened_shares_it(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Idle] = []

    async def slowly(*_: object) -> Idle:
        await asyncio.sleep(0.01)
        opened.append(Idle())
        return opened[-1]

    monkeypatch.setattr(sockets, "open_socket", slowly)
    pool = Sockets("http://127.0.0.1:1/graphql", {}, timedelta(seconds=1))
    asked = [asyncio.create_task(pool.live()) for _ in range(3)]
    await asyncio.sleep(0)
    asked += [asyncio.create_task(pool.live()) for _ in range(3)]
    assert {id(each) for each in await asyncio.gather(*asked)} == {id(opened[0])}
    assert len(opened) == 1
    await pool.close()
    assert not opened[0].alive
