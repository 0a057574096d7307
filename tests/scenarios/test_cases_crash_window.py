"""A worker that is killed loses nothing: another one goes on where it stood, after the lease."""

import asyncio
import time
from collections import Counter

import pytest

from service.domain.clock import SECOND
from service.domain.events import EventType
from service.domain.instance import Status
from tests.postgres.cluster import Cluster
from tests.processes import Crew, until
from tests.scenarios.aftermath import HELD, LEASE, ORPHAN, TREK, Aftermath
from tests.scenarios.harsh import HARSH, workflows
from tests.scenarios.inside import enqueue_many, observing
from tests.scenarios.notes import BEGAN, ENDED, Notes
from tests.scenarios.raw import rows

RECLAIMED = "SELECT 1 FROM events WHERE type = 'RECLAIMED' LIMIT 1"
LEFT = "SELECT status, worker FROM instances WHERE finished_at IS NULL"


async def test_bug_001_a_worker_is_killed_and_the_database_as_the_next_one_takes_over(
    cluster_crew: Crew, cluster: Cluster, notes: Notes
) -> None:
    cluster_crew.sets(WORKFLOW_LEASE=f"{LEASE:g}s", WORKFLOW_SLOTS="200")
    victim = cluster_crew.worker(authors=HARSH)
    cluster_crew.ready()
    async with observing(cluster_crew, workflows) as observer:
        params = [{"file": notes.file, "tag": str(n), "seconds": 600} for n in range(200)]
        ids = await enqueue_many(observer, "caught", params)
    await until(lambda: notes.count(BEGAN) == 200)
    victim.kill()
    cluster_crew.worker(authors=HARSH)
    await until(lambda: rows(cluster.url(), RECLAIMED))
    await asyncio.to_thread(cluster.stop, "immediate")
    await asyncio.sleep(0.5)
    await asyncio.to_thread(cluster.start)
    back = time.monotonic()
    await until(lambda: not rows(cluster.url(), LEFT), 60)
    assert time.monotonic() - back < 2 * LEASE
    ended = Counter(each.instance for each in notes.all() if each.word == ENDED)
    assert ended == dict.fromkeys(ids, 1)
    assert {each.process for each in notes.all() if each.word == ENDED} != {victim.process.pid}


def test_bug_003_only_the_action_that_was_caught_runs_again(aftermath: Aftermath) -> None:
    # Actions stand for the steps of the row.
    assert aftermath.words(TREK) == ["left", "crossed", "crossed", "arrived"]
    assert aftermath.fates[TREK].instance.status is Status.COMPLETED


@pytest.mark.parametrize("tag", HELD)
def test_bug_007_a_new_worker_renews_nothing_of_the_old_ones(
    aftermath: Aftermath, tag: str
) -> None:
    # Workers have no names to fix: each start has an id of its own.
    fate = aftermath.fates[tag]
    (lease,) = fate.leases
    (reclaimed,) = [event for event in fate.events if event.type is EventType.RECLAIMED]
    assert reclaimed.at >= lease


@pytest.mark.parametrize("tag", HELD)
def test_bug_009_one_start_is_enough_for_the_sweep_to_come_by(
    aftermath: Aftermath, tag: str
) -> None:
    fate = aftermath.fates[tag]
    (reclaimed,) = [event for event in fate.events if event.type is EventType.RECLAIMED]
    (lease,) = fate.leases
    assert reclaimed.at < lease + 10 * LEASE * SECOND
    assert fate.instance.status is Status.COMPLETED
    assert fate.events[-1].type is EventType.COMPLETED
    assert len({each.process for each in aftermath.notes if each.tag == tag}) == 2
    assert aftermath.words(ORPHAN) == [BEGAN, BEGAN, ENDED]
