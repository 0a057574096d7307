"""Who doesn't shake hands as graphql-transport-ws has it gets no data."""

import asyncio
from contextlib import suppress

import pytest
from websockets.exceptions import ConnectionClosed

from service import Context, Workflows
from tests.scenarios.inside import enqueue, site

QUERY = 'subscription { workflowEvents(after: "") { type } }'


@pytest.mark.parametrize(
    ("protocol", "message", "code"),
    [
        ("graphql-ws", "start", 4406),
        ("graphql-ws", "subscribe", 4406),
        ("graphql-transport-ws", "subscribe", 4401),
        ("graphql-transport-ws", "start", 4400),
    ],
)
async def test_bug_185_nothing_is_told_before_the_handshake(
    sqlite_database: str, protocol: str, message: str, code: int
) -> None:
    # Who may ask at all is left for when there are tokens.
    workflows = Workflows()

    @workflows.workflow
    async def run(ctx: Context[None], params: None) -> None: ...

    async with site(sqlite_database, workflows, worker=False) as page:
        await enqueue(page.service, "run")
        async with page.talk(protocol, init=False) as talk, asyncio.timeout(20):
            with suppress(ConnectionClosed):
                await talk.send(id="1", type=message, payload={"query": QUERY})
            with pytest.raises(ConnectionClosed):
                await talk.connection.recv()
            assert await talk.closed() == code
        assert page.service.emitter.listeners == 0
