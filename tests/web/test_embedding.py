"""The application inside of someone else's."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Mount, Route

from service.bootstrap import open_service
from service.domain.errors import Unavailable
from service.operations.workflows import EnqueueRequest
from service.settings import Settings
from service.web.app import build_app, create_app, lifespan_of
from tests.web.flows import workflows

START = 'mutation { enqueue(input: {name: "echo", params: "hi"}) { instance { id } } }'


@asynccontextmanager
async def client_of(app: Any) -> AsyncGenerator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://here") as client,
    ):
        yield client


async def test_mounted_in_a_starlette_application(settings: Settings) -> None:
    app = create_app(workflows, settings)

    async def start(_: Request) -> JSONResponse:
        request = EnqueueRequest(name="echo", params="from a route")
        made = await app.state.service.workflows.enqueue(request)
        return JSONResponse({"id": made.instance.id})

    outer = Starlette(
        routes=[Mount("/workflows", app), Route("/start", start, methods=["POST"])],
        lifespan=lifespan_of(app),
    )
    async with client_of(outer) as client:
        answer = await client.post("/workflows/graphql", json={"query": START})
        assert "errors" not in answer.json()
        made = (await client.post("/start")).json()["id"]
        found = "query Q($id: ID!) { workflowInstance(instanceID: $id) { input } }"
        request = {"query": found, "variables": {"id": made}}
        answer = await client.post("/workflows/graphql", json=request)
        assert answer.json() == {"data": {"workflowInstance": {"input": "from a route"}}}
        assert (await client.get("/workflows/ready")).json() == {"ok": True, "database": "ok"}


async def test_a_lifespan_of_ones_own_goes_around_it(settings: Settings) -> None:
    app = create_app(workflows, settings)
    told: list[str] = []

    @asynccontextmanager
    async def lifespan(outer: Starlette) -> AsyncGenerator[None]:
        told.append("before")
        async with lifespan_of(app)(outer):
            assert app.state.service is not None
            yield
        told.append("after")

    outer = Starlette(routes=[Mount("/w", app)], lifespan=lifespan)
    async with client_of(outer) as client:
        assert (await client.get("/w/health")).status_code == 200
    assert told == ["before", "after"]


async def test_mounted_without_its_lifespan_it_says_so(settings: Settings) -> None:
    outer = Starlette(routes=[Mount("/w", create_app(workflows, settings))])
    async with client_of(outer) as client:
        answer = await client.post("/w/graphql", json={"query": "{ __typename }"})
        assert answer.status_code == 503
        error = answer.json()["errors"][0]
        assert error["extensions"] == {"code": "UNAVAILABLE", "maybeApplied": False}
        assert "lifespan_of" in error["message"]
        assert (await client.get("/w/ready")).status_code == 503


async def test_on_a_service_that_is_open(settings: Settings) -> None:
    async with open_service(settings, workflows, worker=False) as service:
        app = build_app(service, settings)
        for _ in range(2):
            async with client_of(app) as client:
                answer = await client.post("/graphql", json={"query": START})
                assert "errors" not in answer.json()
        assert (await service.store.events.head()).position == 2


async def test_other_routes_stay_the_hosts(settings: Settings) -> None:
    async def home(_: Request) -> PlainTextResponse:
        return PlainTextResponse("home")

    app = create_app(workflows, settings)
    outer = Starlette(routes=[Route("/", home), Mount("/w", app)], lifespan=lifespan_of(app))
    async with client_of(outer) as client:
        assert (await client.get("/")).text == "home"
        assert (await client.get("/w/nothing")).status_code == 404


async def test_a_database_that_can_not_be_opened_keeps_it_from_starting(tmp_path: Path) -> None:
    (tmp_path / "wf.db").mkdir()
    app = create_app(workflows, Settings.read(database=f"sqlite:///{tmp_path / 'wf.db'}"))
    with pytest.raises(Unavailable):
        async with lifespan_of(app)(None):
            pass
