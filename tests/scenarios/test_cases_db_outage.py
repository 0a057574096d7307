"""PostgreSQL is gone, or takes no writes, for a while: callers hear so soon, and no one minds."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx
import pytest

from service import Context, Workflows
from service.bootstrap import Service
from service.domain.errors import Unavailable
from service.domain.instance import Status
from tests.postgres.cluster import Cluster
from tests.processes import Crew, Process, until
from tests.scale import scaled
from tests.scenarios.asking import Asker, asking
from tests.scenarios.inside import ended, enqueue, enqueue_many, services
from tests.scenarios.notes import BEGAN, ENDED, Notes, note
from tests.scenarios.raw import rows

BUSY = 0.5
"""How long a write waits for the database, in seconds."""

ENQUEUE = "mutation M($i: EnqueueInput!) { enqueue(input: $i) { instance { instanceID } } }"
LIVING = "SELECT count(*) FROM instances WHERE finished_at IS NULL"


@asynccontextmanager
async def caller(server: Process, params: object) -> AsyncGenerator[Asker]:
    """Enqueue over HTTP for the length of the block."""
    async with httpx.AsyncClient(timeout=30) as http, asyncio.TaskGroup() as running:

        async def ask(request: str) -> str:
            given = {"name": "job", "params": params, "requestID": request}
            body = {"query": ENQUEUE, "variables": {"i": given}}
            answer = json.loads((await http.post(server.url, json=body)).content)
            if "errors" in answer:
                (error,) = answer["errors"]
                assert error["extensions"]["code"] == "UNAVAILABLE", error
                raise Unavailable(error["message"])
            return answer["data"]["enqueue"]["instance"]["instanceID"]

        asker = Asker(ask, pause=0.02)
        running.create_task(asker.run("http"))
        try:
            yield asker
        finally:
            asker.stopped = True


@asynccontextmanager
async def read_only(cluster: Cluster) -> AsyncGenerator[None]:
    """Let a cluster take no writes for the block; services can't close in the midst of that."""
    await asyncio.to_thread(cluster.read_only, True)
    try:
        yield
    finally:
        await asyncio.to_thread(cluster.read_only, False)


async def probe(server: Process) -> int:
    """Return what the readiness probe answers."""
    async with httpx.AsyncClient() as http:
        return (await http.get(f"{server.address}/ready", timeout=10)).status_code


async def test_bug_135_everybody_goes_on_when_the_database_is_back(
    cluster_crew: Crew, cluster: Cluster, notes: Notes
) -> None:
    cluster_crew.sets(WORKFLOW_BUSY_TIMEOUT=f"{BUSY:g}s", WORKFLOW_LEASE="10s")
    api = cluster_crew.api()
    workers = [cluster_crew.worker() for _ in range(2)]
    cluster_crew.ready()
    async with caller(api, {"file": notes.file, "seconds": 0.05}) as asker:
        await until(lambda: notes.count(ENDED) >= 10)
        await asyncio.to_thread(cluster.stop, "immediate")
        for process in (api, *workers):
            assert await probe(process) == 503
        await until(lambda: len(asker.waits) >= 2)
        await asyncio.sleep(scaled(1, 120))
        assert await probe(api) == 503
        await asyncio.to_thread(cluster.start)
        known, begun = len(asker.acknowledged), Counter(each.process for each in notes.all())
        for process in (api, *workers):
            process.ready(15)
        await until(lambda: len(asker.acknowledged) > known + 20)
        await until(
            lambda: all(
                sum(each.process == worker.process.pid for each in notes.all())
                > begun[worker.process.pid]
                for worker in workers
            )
        )
    await until(lambda: rows(cluster.url(), LIVING) == [(0,)], 60)
    assert max(asker.waits) < 2 * BUSY + 1.5
    assert set(asker.acknowledged) == set(notes.runs())
    assert Counter(each.instance for each in notes.all() if each.word == ENDED) == dict.fromkeys(
        asker.acknowledged, 1
    )


async def test_bug_137_a_database_that_takes_no_writes_for_a_while_loses_none(
    cluster: Cluster, notes: Notes
) -> None:
    workflows = Workflows()
    release = asyncio.Event()

    @workflows.workflow
    async def held(ctx: Context[None], params: None) -> None:
        note(notes.file, BEGAN, tag="held", instance=ctx.instance_id)
        await release.wait()
        note(notes.file, ENDED, tag="held", instance=ctx.instance_id)

    @workflows.workflow
    async def brief(ctx: Context[None], params: None) -> None:
        note(notes.file, BEGAN, tag="brief", instance=ctx.instance_id)

    async with services(cluster.url(), workflows, 2, busy_timeout=BUSY) as (one, _):
        ids = await enqueue_many(one, "held", [None] * 20)
        await until(lambda: notes.count(BEGAN, "held") == 20)
        async with asking(one, "brief", pause=0.02) as asker:
            await until(lambda: len(asker.acknowledged) > 10)
            async with read_only(cluster):
                assert not (await one.health.ready()).ok
                release.set()
                await until(lambda: notes.count(ENDED, "held") == 20)
                await until(lambda: len(asker.waits) >= 2)
                await refused_soon(one)
                await asyncio.sleep(scaled(1, 20))
            known = len(asker.acknowledged)
            await until(lambda: len(asker.acknowledged) > known + 10)
            assert (await one.health.ready()).ok
        for instance in await ended(one, *ids, *asker.acknowledged):
            assert instance.status is Status.COMPLETED
    assert max(asker.waits) < 2 * BUSY + 1.5
    assert rows(cluster.url(), LIVING) == [(0,)]
    assert set(notes.runs().values()) == {1}
    assert len(notes.runs()) == len(asker.acknowledged) + 20


async def refused_soon(service: Service) -> None:
    """Find that a write is refused in time."""
    began = time.monotonic()
    with pytest.raises(Unavailable):
        await enqueue(service, "brief")
    assert time.monotonic() - began < 2 * BUSY + 1
