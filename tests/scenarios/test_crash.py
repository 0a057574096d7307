"""The real server is killed at random moments under load, and started again, round after round."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

import pytest

from service.client import Client, Event, EventType, Instance, Status
from tests.processes import Crew, free_port, until
from tests.scale import SEED, scaled
from tests.scenarios.history import by_instance, check_log, position, whole_log
from tests.scenarios.load import Asked, Load, all_ended, following, loading
from tests.scenarios.notes import ENDED, Note, Notes
from tests.scenarios.raw import is_sqlite, rows

ROUNDS = scaled(5, 60)
DURING_START = 0.25
"""Part of the kills that come while the server starts."""

MINUTE = 60.0


@pytest.mark.parametrize("seed", [SEED])
async def test_nothing_acknowledged_is_lost_and_nothing_is_done_twice(
    crew: Crew, notes: Notes, seed: int
) -> None:
    chance = random.Random(seed)
    port = free_port()
    crew.sets(WORKFLOW_LEASE="1s", WORKFLOW_HEARTBEAT="0.3s")
    seen: list[Event] = []
    url = f"http://127.0.0.1:{port}/graphql"
    async with Client(url, patience=timedelta(minutes=5)) as client:
        load = Load(client, chance, work_for(notes, chance))
        async with following(client, seen):
            async with loading(load):
                for _ in range(ROUNDS):
                    await live_and_die(crew, port, chance)
                server = crew.serve(port=port)
                await asyncio.to_thread(server.ready)
            await all_ended(client)
            instances = {each.id: each async for each in client.list()}
            head = position(max((each.cursor for each in instances.values()), key=position))
            await until(lambda: seen and position(seen[-1].cursor) >= head, MINUTE)
        log = await whole_log(client, head)
        check_log(log)
        assert seen == log
        check_instances(load, instances, log)
        check_runs(notes.all(), log)
        await check_identities(client, load)
    assert server.stop(within=10) == 0
    assert rows(crew.database, "SELECT head FROM log") == [(head,)]
    if is_sqlite(crew.database):
        assert rows(crew.database, "PRAGMA integrity_check") == [("ok",)]


def work_for(notes: Notes, chance: random.Random) -> Callable[[str], Asked]:
    """Return what chooses the work of each call, by its tag."""

    def work(tag: str) -> Asked:
        name = chance.choice(("job", "job", "job-once", "stages", "falters", "laps"))
        seconds = chance.choice((0, 0, 0.01, 0.1))
        params = {"file": notes.file, "tag": tag, "seconds": seconds}
        return Asked(name, {"job": params, "left": 2} if name == "laps" else params)

    return work


async def live_and_die(crew: Crew, port: int, chance: random.Random) -> None:
    """Start the server and kill it at a random moment, mostly after it has begun to answer."""
    server = crew.serve(port=port)
    if chance.random() < DURING_START:
        await asyncio.sleep(chance.uniform(0, 1.5))
    else:
        await asyncio.to_thread(server.ready)
        await asyncio.sleep(chance.uniform(0, 0.8))
    server.kill()


def check_instances(load: Load, instances: Mapping[str, Instance], log: Sequence[Event]) -> None:
    """Find every acknowledged enqueue, once, ended once, as the log says."""
    assert sorted(load.ids) == sorted(instances)
    told = by_instance(log)
    assert set(told) == set(instances)
    for each in (*load.acknowledged, *load.together):
        instance, events = instances[each.id], told[each.id]
        assert (instance.name, instance.input) == (each.name, each.params)
        assert instance.ended
        assert events[-1].status is instance.status
        assert (events[0].type, events[0].cursor) == (EventType.ENQUEUED, each.cursor)
        if instance.status is Status.FAILED and each.name != "falters":
            assert "worker lost" in (instance.last_error or "")


def check_runs(notes: Sequence[Note], log: Sequence[Event]) -> None:
    """Find that no claim ran an action twice, and that what completed did all its work."""
    starts = Counter(event.instance_id for event in log if event.type is EventType.STARTED)
    laps = {event.instance_id for event in log if event.name == "laps"}
    runs = Counter((each.instance, each.word) for each in notes)
    for (instance, word), times in runs.items():
        most = starts[instance] + (2 if instance in laps else 0)
        assert times <= most, f"{word} ran {times} times in {starts[instance]} claims: {instance}"
    words = {"job": ENDED, "job-once": ENDED, "stages": "third:2", "laps": "lap"}
    for event in log:
        if event.type is EventType.COMPLETED:
            assert runs[event.instance_id, words[event.name]] >= 1


async def check_identities(client: Client, load: Load) -> None:
    """Repeat calls: the same request gets its first answer, the same key its instance."""
    for each in load.acknowledged[-20:]:
        given = {"params": each.params, "idempotency_key": each.key}
        same = await client.enqueue(each.name, request_id=each.request_id, **given)
        other = await client.enqueue(each.name, **given)
        assert (same.id, same.created, same.cursor) == (each.id, True, each.cursor)
        assert (other.id, other.created) == (each.id, False)
