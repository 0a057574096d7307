"""Services inside the test's own process, each with its own connections to one database."""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx
from starlette.applications import Starlette
from websockets import Subprotocol, connect

from service.bootstrap import Service, open_service
from service.domain.clock import Clock
from service.domain.events import Event, EventType
from service.domain.instance import ENDED, Instance
from service.domain.registry import Workflows
from service.operations.workflows import EnqueueRequest
from service.settings import Settings
from service.web.app import build_app
from service.web.listening import bind
from service.web.serving import Serving
from tests.processes import Crew
from tests.web.running import PROTOCOL, Talk

QUICK: dict[str, object] = {
    "lease": "20s",
    "heartbeat": "0.2s",
    "tick": "0.2s",
    "poll": "20ms",
    "grace": "0s",
}
"""Short times, but for the lease: what stalls a test's own process for long loses nothing."""


def settings_on(database: str, **given: object) -> Settings:
    """Return settings for the database at a URL."""
    return Settings.read(database=database, **{**QUICK, **given})


@asynccontextmanager
async def services(
    database: str,
    registry: Workflows,
    count: int = 1,
    *,
    clock: Clock | None = None,
    worker: bool = True,
    **given: object,
) -> AsyncGenerator[Sequence[Service]]:
    """Open services on one database, each as a process of its own would."""
    settings = settings_on(database, **given)
    async with AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(
                open_service(settings, registry, clock=clock, worker=worker)
            )
            for _ in range(count)
        ]


@asynccontextmanager
async def observing(crew: Crew, registry: Workflows) -> AsyncGenerator[Service]:
    """Open a service that only asks, beside the processes of a crew."""
    async with services(crew.database, registry, worker=False) as (service,):
        yield service


class Site:
    """A service that is served over HTTP and WebSocket, on the test's own loop."""

    def __init__(
        self, service: Service, app: Starlette, port: int, http: httpx.AsyncClient
    ) -> None:
        self.service = service
        self.app = app
        self.port = port
        self.http = http
        self.url = f"http://127.0.0.1:{port}/graphql"

    async def post(self, content: bytes) -> httpx.Response:
        """Post a body as it is."""
        headers = {"content-type": "application/json"}
        return await self.http.post(self.url, content=content, headers=headers)

    async def ask(self, document: str, **variables: object) -> dict[str, Any]:
        """Return the whole answer to a question."""
        body = json.dumps({"query": document, "variables": variables})
        return (await self.post(body.encode())).json()

    async def data(self, document: str, **variables: object) -> Any:
        """Return the one field that the document asks for, which must not have failed."""
        answer = await self.ask(document, **variables)
        assert "errors" not in answer, answer
        (value,) = answer["data"].values()
        return value

    @asynccontextmanager
    async def talk(self, *protocols: str, init: bool = True) -> AsyncGenerator[Talk]:
        """Open a WebSocket."""
        spoken = [Subprotocol(each) for each in protocols or (PROTOCOL,)]
        url = self.url.replace("http", "ws")
        async with connect(url, subprotocols=spoken, compression=None) as connection:
            talk = Talk(connection)
            if init:
                await talk.init()
            yield talk


@asynccontextmanager
async def site(
    database: str, registry: Workflows, *, worker: bool = True, **given: Any
) -> AsyncGenerator[Site]:
    """Serve a service of its own until the end of the block."""
    async with services(database, registry, worker=worker, **given) as (service,):
        app = build_app(service, service.settings)
        serving = Serving(app, bind("127.0.0.1", 0), body_limit=service.settings.body_limit)
        ready = asyncio.Event()
        running = asyncio.create_task(serving.run(ready.set))
        await ready.wait()
        try:
            async with httpx.AsyncClient(timeout=60, verify=False) as http:  # noqa: S501 - no TLS
                yield Site(service, app, serving.port, http)
        finally:
            serving.stop(1)
            await running


async def enqueue(service: Service, name: str, params: object = None, **more: Any) -> str:
    """Enqueue one instance and return its id."""
    request = EnqueueRequest(name=name, params=params, **more)
    return (await service.workflows.enqueue(request)).instance.id


async def enqueue_many(
    service: Service, name: str, params: Sequence[object], **more: Any
) -> list[str]:
    """Enqueue an instance for each of the params and return their ids."""
    requests = [EnqueueRequest(name=name, params=each, **more) for each in params]
    ids: list[str] = []
    for start in range(0, len(requests), 1000):
        placed = await service.workflows.enqueue_many(requests[start : start + 1000])
        ids += [each.instance.id for each in placed]
    return ids


async def ended(service: Service, *ids: str, within: float = 60.0) -> list[Instance]:
    """Wait until all of them have ended, and return them."""
    found: list[Instance] = []
    async with asyncio.timeout(within):
        for each in ids:
            while (instance := await service.workflows.get(each)) is None or (
                instance.status not in ENDED
            ):
                await asyncio.sleep(0.005)
            found.append(instance)
    return found


async def history(service: Service, instance_id: str) -> Sequence[Event]:
    """Return an instance's events, in order."""
    return await service.store.events.of_instance(instance_id, 0, 10_000)


async def types(service: Service, instance_id: str) -> list[EventType]:
    """Return what happened to an instance, in order."""
    return [event.type for event in await history(service, instance_id)]


async def told(
    service: Service, instance_id: str, kind: EventType, within: float = 60.0
) -> list[EventType]:
    """Wait until such a thing has happened to an instance, and return all that has."""
    async with asyncio.timeout(within):
        while kind not in (happened := await types(service, instance_id)):
            await asyncio.sleep(0.005)
    return happened
