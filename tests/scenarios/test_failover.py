"""The primary dies, the standby takes its place, and the service goes on by itself."""

import asyncio
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import aclosing

import psycopg
import pytest

from service import Context, Workflows
from service.bootstrap import Service, open_service
from service.domain.errors import Unavailable
from service.domain.events import EventType
from service.domain.interest import Interest
from service.operations.workflows import EnqueueRequest
from service.settings import Settings
from tests.postgres.addresses import LOCALHOST
from tests.postgres.cluster import Cluster
from tests.postgres.clusters import Clusters
from tests.postgres.standby import PRIMARY, standby_of


@pytest.fixture
def clusters() -> Generator[Clusters]:
    with Clusters() as clusters:
        yield clusters


@pytest.fixture
def primary(clusters: Clusters) -> Generator[Cluster]:
    with clusters.one(PRIMARY) as cluster:
        yield cluster


async def test_a_failover_loses_nothing_acknowledged(primary: Cluster, clusters: Clusters) -> None:
    with psycopg.connect(primary.url(), autocommit=True) as connection:
        connection.execute("CREATE DATABASE wf")
    workflows = Workflows()
    ran: list[int] = []

    @workflows.workflow
    async def job(ctx: Context[None], number: int) -> int:
        ran.append(number)
        return number

    with standby_of(primary, clusters) as standby:
        hosts = f"{LOCALHOST}:{primary.port},{LOCALHOST}:{standby.port}"
        url = f"postgresql://postgres@{hosts}/wf?target_session_attrs=read-write"
        settings = Settings.read(database=url, busy_timeout=2, tick=0.2, lease=4, heartbeat=1)
        async with open_service(settings, workflows) as service:
            asking = Asking(service)
            task = asyncio.create_task(asking.run())
            watching = asyncio.create_task(follow(service, asking))
            await reach(lambda: len(asking.acknowledged) > 50)
            await asyncio.to_thread(primary.stop, "immediate")
            await reach(lambda: asking.refused)
            assert not (await service.health.ready()).ok
            await asyncio.to_thread(standby.promote)
            # Nobody is left to wait for.
            await asyncio.to_thread(stand_alone, standby)
            known = len(asking.acknowledged)
            await reach(lambda: len(asking.acknowledged) > known + 50)
            asking.stopped = True
            await task
            await reach(lambda: asking.ended >= set(asking.acknowledged))
            assert (await service.health.ready()).ok
            watching.cancel()
    # What ran while its lease ran out, for want of a database, runs again.
    again = Counter(ran) - Counter(set(ran))
    assert again.total() <= asking.reclaimed
    assert set(asking.acknowledged.values()) <= set(ran)
    assert 0 < asking.refused < 10


class Asking:
    """Enqueues one after the other, and remembers what was acknowledged."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.acknowledged: dict[str, int] = {}
        self.refused = 0
        self.reclaimed = 0
        self.stopped = False
        self.ended: set[str] = set()

    async def run(self) -> None:
        number = 0
        while not self.stopped:
            number += 1
            try:
                placed = await self.service.workflows.enqueue(
                    EnqueueRequest(name="job", params=number, request_id=f"request-{number}")
                )
            except Unavailable:
                self.refused += 1
                number -= 1  # the same request again
            else:
                self.acknowledged[placed.instance.id] = number


async def follow(service: Service, asking: Asking) -> None:
    """Take note of every end, from the beginning of the log."""
    interest = Interest(types=frozenset({EventType.COMPLETED, EventType.RECLAIMED}))
    async with aclosing(service.events.batches(interest, "")) as batches:
        async for batch in batches:
            for event in batch:
                asking.reclaimed += event.type is EventType.RECLAIMED
                if event.type is EventType.COMPLETED:
                    assert event.instance_id not in asking.ended
                    asking.ended.add(event.instance_id)


async def reach(reached: Callable[[], object], within: float = 40) -> None:
    async with asyncio.timeout(within):
        while not reached():
            await asyncio.sleep(0.02)


def stand_alone(cluster: Cluster) -> None:
    with psycopg.connect(cluster.url(), autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET synchronous_standby_names = ''")
        connection.execute("SELECT pg_reload_conf()")
