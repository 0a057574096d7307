"""Four workers and two servers where nothing lasts: nothing is lost, and every limit holds."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path

import pytest

from service.client import Client, Event, EventType
from tests.postgres.cluster import Cluster
from tests.postgres.fixtures import proxy_to
from tests.postgres.proxy import Proxy
from tests.processes import Crew, free_port, until
from tests.scale import SEED, scaled
from tests.scenarios.history import by_instance, check_log, position, whole_log
from tests.scenarios.lending import manned
from tests.scenarios.load import Asked, Load, all_ended, following, loading
from tests.scenarios.notes import BEGAN, Note, Notes
from tests.scenarios.storm import APIS, Fleet, Storm
from tests.scenarios.stormy import CAP, RATE
from tests.scenarios.tallies import excess, most_at_once, spans

SECONDS = scaled(8.0, 600.0)
RESTARTS = scaled(2, 30)
PATIENCE = timedelta(minutes=5)
CALLERS = 4
LATE = 1.0
"""How many seconds after its claim a run may begin, on a machine where all this goes on."""


@pytest.fixture
def gate(cluster: Cluster) -> Iterator[Proxy]:
    """The way to the cluster."""
    with proxy_to(cluster.url()) as proxy:
        yield proxy


@pytest.fixture
def stormy_crew(tmp_path: Path, cluster: Cluster, gate: Proxy) -> Iterator[Crew]:
    """Start processes that reach the cluster by the gate."""
    with manned(tmp_path, gate.url(cluster.url())) as crew:
        yield crew


def work_for(notes: Notes, chance: random.Random) -> Callable[[str], Asked]:
    """Return what chooses the work of each call."""

    def work(_: str) -> Asked:
        name = chance.choice(("plain", "plain", "flaky", "post"))
        queue = chance.choice((None, "capped", "rated"))
        seconds = chance.choice((0, 0.01, 0.05, 0.2))
        params = {"file": notes.file, "tag": queue or "free", "seconds": seconds}
        return Asked(name, params, queue)

    return work


@pytest.mark.parametrize("seed", [SEED])
async def test_chaos_loses_nothing_and_breaks_no_limit(
    stormy_crew: Crew, cluster: Cluster, gate: Proxy, notes: Notes, seed: int
) -> None:
    print(f"WORKFLOW_TEST_SEED={seed}")  # noqa: T201 - for who wants the same once more
    chance = random.Random(seed)
    stormy_crew.sets(WORKFLOW_LEASE="5s", WORKFLOW_BUSY_TIMEOUT="2s")
    fleet = Fleet(stormy_crew, [free_port() for _ in range(APIS)])
    fleet.launch()
    await asyncio.to_thread(stormy_crew.ready)
    storm = Storm(fleet, cluster, gate, chance, SECONDS)
    transcripts: list[list[Event]] = [[] for _ in range(APIS)]
    async with AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(Client(api.url, patience=PATIENCE))
            for api in fleet.apis
        ]
        for client, seen in zip(clients, transcripts, strict=True):
            await stack.enter_async_context(following(client, seen))
        work = work_for(notes, chance)
        loads = [
            Load(client, chance, work, prefix=f"{number}:", callers=CALLERS)
            for number, client in enumerate(clients)
        ]
        async with AsyncExitStack() as calls:
            for load in loads:
                await calls.enter_async_context(loading(load))
            await storm.rage(RESTARTS)
            await asyncio.to_thread(stormy_crew.ready)
        await all_ended(clients[0])
        instances = {each.id: each async for each in clients[0].list()}
        head = position(max((each.cursor for each in instances.values()), key=position))
        for seen in transcripts:
            await until(lambda seen=seen: seen and position(seen[-1].cursor) >= head, 60)
        log = await whole_log(clients[1], head)
    assert storm.restarts == RESTARTS
    assert min(storm.kills, storm.cuts) > SECONDS / 3
    assert transcripts == [log] * APIS
    check_log(log)
    acknowledged = [each for load in loads for each in (*load.acknowledged, *load.together)]
    assert sorted(each.id for each in acknowledged) == sorted(instances)
    assert all(each.ended for each in instances.values())
    told = by_instance(log)
    for each in acknowledged:
        assert (told[each.id][0].type, told[each.id][0].cursor) == (EventType.ENQUEUED, each.cursor)
    check_limits(notes.all(), log, fleet)
    assert "deadlock detected" not in cluster.log


def check_limits(notes: Sequence[Note], log: Sequence[Event], fleet: Fleet) -> None:
    """Find that no cap and no rate was exceeded, and that no claim ran twice."""
    capped = spans((each for each in notes if each.tag == "capped"), fleet.deaths)
    assert 1 < most_at_once(capped) <= CAP
    begun = [each.at for each in notes if each.word == BEGAN and each.tag == "rated"]
    assert excess(RATE, begun, slack=LATE) <= 0
    claims = [
        event.at.timestamp()
        for event in log
        if event.type is EventType.STARTED and event.queue == "rated"
    ]
    assert excess(RATE, claims) <= 1e-3
    starts = Counter(event.instance_id for event in log if event.type is EventType.STARTED)
    runs = Counter(each.instance for each in notes if each.word == BEGAN)
    assert all(runs[each] <= starts[each] for each in runs)
