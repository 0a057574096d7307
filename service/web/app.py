"""The web application: on its own, or mounted in someone else's."""

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from starlette.applications import Starlette
from starlette.routing import Route, WebSocketRoute

from service.bootstrap import Service, open_service
from service.domain.registry import Workflows
from service.graphql.asking import GraphQL
from service.graphql.context import Context
from service.settings import Settings
from service.web.endpoint import Endpoint
from service.web.health import Probe, live, ready

_log = logging.getLogger(__name__)

Lifespan = Callable[[object], AbstractAsyncContextManager[None]]


def create_app(
    workflows: Workflows, settings: Settings | None = None, *, worker: bool = True
) -> Starlette:
    """Return an application that opens a service when it starts, and closes it when it stops.

    `worker` false makes it one that only answers, and leaves the running to other processes.
    While it is open, `app.state.service` is the service.
    """
    settings = settings or Settings.read()
    for warning in settings.warnings():
        _log.warning(warning)
    return _build(settings, lambda: open_service(settings, workflows, worker=worker))


def build_app(service: Service, settings: Settings) -> Starlette:
    """Return an application on a service that is open, and that others will close."""

    @asynccontextmanager
    async def already_open() -> AsyncGenerator[Service]:
        yield service

    return _build(settings, already_open)


def lifespan_of(app: Starlette) -> Lifespan:
    """Return the lifespan for an application in which `app` is mounted: it opens what `app` needs.

    `Starlette(routes=[Mount("/workflows", app)], lifespan=lifespan_of(app))`, and the same with
    FastAPI; one that has a lifespan of its own enters this one inside it.
    """
    return lambda _: _opened(app)


@asynccontextmanager
async def _opened(app: Starlette) -> AsyncGenerator[None]:
    async with app.router.lifespan_context(app):
        yield


def _build(
    settings: Settings, opening: Callable[[], AbstractAsyncContextManager[Service]]
) -> Starlette:
    endpoint = Endpoint(settings)
    probes = Probe(live), Probe(ready)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None]:
        async with opening() as service:
            app.state.service = service
            endpoint.graphql = GraphQL(
                lambda: Context(service.workflows, service.events, service.queues), settings
            )
            for probe in probes:
                probe.service = service
            yield
            endpoint.graphql = None
            for probe in probes:
                probe.service = None

    return Starlette(
        routes=[
            Route("/graphql", endpoint, name="graphql"),
            WebSocketRoute("/graphql", endpoint, name="graphql-socket"),
            Route("/health", probes[0], name="health"),
            Route("/ready", probes[1], name="ready"),
        ],
        lifespan=lifespan,
    )
