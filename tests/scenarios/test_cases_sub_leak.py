"""Whatever way a subscription ends, all that it held is free."""

import asyncio
import gc
import socket
import struct
from contextlib import AsyncExitStack

from service import Context, Workflows
from service.web.socket import Socket
from tests.scale import scaled
from tests.scenarios.inside import enqueue, site
from tests.services import until

FOLLOW = "subscription { workflowEvents { type } }"


def registry() -> Workflows:
    workflows = Workflows()

    @workflows.workflow
    async def run(ctx: Context[None], params: None) -> None: ...

    return workflows


def live_sockets() -> int:
    gc.collect()
    return sum(type(each) is Socket for each in gc.get_objects())


async def test_bug_181_links_that_are_reset_leave_nothing_behind(sqlite_database: str) -> None:
    count = scaled(50, 500)
    async with site(sqlite_database, registry(), worker=False) as page:
        emitter = page.service.emitter
        base, sockets = len(asyncio.all_tasks()), live_sockets()
        async with AsyncExitStack() as stack:
            talks = [await stack.enter_async_context(page.talk()) for _ in range(count)]
            for talk in talks:
                await talk.subscribe("1", FOLLOW)
            await until(lambda: emitter.parked == count, 60)
            for talk in talks:
                transport = talk.connection.transport
                raw = transport.get_extra_info("socket")
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                transport.abort()
        await until(lambda: (emitter.listeners, emitter.parked) == (0, 0), 60)
        await until(lambda: len(asyncio.all_tasks()) <= base, 60)
        await until(lambda: live_sockets() <= sockets, 60)


async def test_bug_183_one_of_ten_ends_alone_and_an_id_in_use_is_not_taken_twice(
    sqlite_database: str,
) -> None:
    async with site(sqlite_database, registry(), worker=False) as page, page.talk() as talk:
        for number in range(10):
            await talk.subscribe(str(number), FOLLOW)
        await until(lambda: page.service.emitter.parked == 10, 60)
        await talk.send(id="3", type="complete")
        await until(lambda: page.service.emitter.parked == 9, 60)
        await enqueue(page.service, "run")
        heard = {(await talk.receive(60))["id"] for _ in range(9)}
        assert heard == {str(number) for number in range(10)} - {"3"}
        await talk.subscribe("3", FOLLOW)  # that one is free again
        await until(lambda: page.service.emitter.parked == 10, 60)
        await talk.subscribe("4", FOLLOW)
        assert await talk.closed() == 4409
        await until(lambda: page.service.emitter.listeners == 0, 60)
