"""Links to PostgreSQL are lost, or none is to be had, or the server starts again: work goes on."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Generator
from contextlib import ExitStack, contextmanager

import psycopg
import pytest

from service import Context, Workflows
from service.domain.errors import Unavailable
from service.domain.instance import Status
from tests.postgres.cluster import Cluster
from tests.postgres.clusters import Clusters
from tests.postgres.proxy import Proxy
from tests.processes import until
from tests.scale import scaled
from tests.scenarios.asking import asking, outlasting
from tests.scenarios.inside import ended, enqueue, enqueue_many, services
from tests.scenarios.notes import BEGAN, Notes, note
from tests.scenarios.raw import rows
from tests.scenarios.reading import follow

LINKS = 20
BUSY = 0.5
OURS = "application_name = 'workflow-service' AND datname = current_database()"
TERMINATE_ONE = f"""
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {OURS} ORDER BY random() LIMIT 1
"""  # noqa: S608 - words of our own
TERMINATE_ALL = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {OURS}"  # noqa: S608
COUNT_OURS = f"SELECT count(*) FROM pg_stat_activity WHERE {OURS}"  # noqa: S608


def registry(notes: Notes) -> Workflows:
    workflows = Workflows()

    @workflows.workflow
    async def job(ctx: Context[None], params: None) -> None:
        note(notes.file, BEGAN, instance=ctx.instance_id)
        await asyncio.sleep(0.01)

    return workflows


@pytest.mark.parametrize("by", ["the network", "the server"])
async def test_work_goes_on_while_link_after_link_is_cut(
    postgres_database: str, proxy: Proxy, notes: Notes, by: str
) -> None:
    def cut() -> int:
        if by == "the network":
            return proxy.cut_one(oldest=random.random() < 0.5)
        return len(rows(postgres_database, TERMINATE_ONE))

    cuts = 0
    async with services(proxy.url(postgres_database), registry(notes), 2) as (one, other):
        async with asking(one, "job", callers=4, pause=0.005) as asker:
            end = time.monotonic() + scaled(2, 60)
            while time.monotonic() < end:
                cuts += await asyncio.to_thread(cut)
                await asyncio.sleep(random.uniform(0, 0.06))
        instances = await outlasting(lambda: ended(other, *asker.acknowledged))
        assert {each.status for each in instances} == {Status.COMPLETED}
        head = rows(postgres_database, "SELECT head FROM log")[0][0]
        events = await outlasting(lambda: follow(other, "", head))
    assert cuts > 10
    assert [event.position for event in events] == list(range(1, head + 1))
    assert notes.runs() == dict.fromkeys(asker.acknowledged, 1)
    assert len(asker.acknowledged) > 50


@pytest.fixture
def small(clusters: Clusters) -> Generator[Cluster]:
    """A cluster that takes few links."""
    with clusters.one({"max_connections": f"{LINKS}"}) as cluster:
        yield cluster


@contextmanager
def taken(cluster: Cluster) -> Generator[None]:
    """Have every link of a cluster, those of the service too, for the block."""
    with ExitStack() as held:
        first = held.enter_context(psycopg.connect(cluster.url(), autocommit=True))
        end = time.monotonic() + 20
        refused = 0
        while refused < 3 and time.monotonic() < end:
            first.execute(TERMINATE_ALL)
            try:
                while True:
                    held.enter_context(psycopg.connect(cluster.url(), autocommit=True))
            except psycopg.OperationalError:
                refused += not first.execute(COUNT_OURS).fetchall()[0][0]
        yield


async def test_without_a_link_left_calls_are_refused_in_time_and_taken_later(
    small: Cluster, notes: Notes
) -> None:
    async with services(small.url(), registry(notes), busy_timeout=BUSY) as (service,):
        await ended(service, *await enqueue_many(service, "job", [None] * 5))
        with taken(small):
            for _ in range(3):
                began = time.monotonic()
                with pytest.raises(Unavailable):
                    await enqueue(service, "job")
                assert time.monotonic() - began < 2 * BUSY + 1
            assert not (await service.health.ready()).ok
        began = time.monotonic()
        later = await outlasting(lambda: enqueue(service, "job"))
        (instance,) = await outlasting(lambda: ended(service, later))
        assert time.monotonic() - began < 5
        assert instance.status is Status.COMPLETED
        assert (await service.health.ready()).ok


async def test_what_was_acknowledged_ends_once_though_the_server_starts_again_in_midst_of_commits(
    cluster: Cluster, notes: Notes
) -> None:
    async with services(cluster.url(), registry(notes), 2) as (one, other):
        async with asking(one, "job", callers=8) as asker:
            for mode in ("immediate", "fast") * scaled(1, 10):
                known = len(asker.acknowledged)
                await until(lambda known=known: len(asker.acknowledged) > known + 100)
                await asyncio.to_thread(cluster.restart, mode)
        instances = await outlasting(lambda: ended(other, *asker.acknowledged))
        assert {each.status for each in instances} == {Status.COMPLETED}
    ends = rows(cluster.url(), "SELECT instance_id FROM events WHERE type = 'COMPLETED'")
    assert Counter(row[0] for row in ends) == dict.fromkeys(asker.acknowledged, 1)
    assert set(notes.runs()) == set(asker.acknowledged)
