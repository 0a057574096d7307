"""A lease is long enough for whoever lives, and ends for whoever doesn't."""

import asyncio
from datetime import timedelta
from typing import Any, cast

import pytest

import service.bootstrap
from service import Context, End, Next, Workflows
from service.domain.clock import SECOND
from service.domain.errors import Unavailable
from service.domain.events import EventType
from service.domain.instance import Status
from service.settings import SettingsError
from service.store.batch import Batch
from service.store.database import Database, Work
from tests.clock import FakeClock
from tests.postgres.cluster import Cluster
from tests.postgres.proxy import Proxy
from tests.processes import Crew
from tests.scale import scaled
from tests.scenarios.asking import outlasting
from tests.scenarios.harsh import HARSH
from tests.scenarios.harsh import workflows as harsh
from tests.scenarios.inside import (
    ended,
    enqueue,
    enqueue_many,
    observing,
    services,
    settings_on,
    told,
    types,
)
from tests.scenarios.notes import BEGAN, ENDED, Notes, note
from tests.scenarios.raw import busy, rows
from tests.scenarios.traps import CLAIM, commit_after
from tests.services import until
from tests.store.properties.faulty import FaultyDatabase


class LosingDatabase(FaultyDatabase):
    """Commits the first claim, and then loses the answer."""

    lost = False

    async def transaction(self, work: Work[Any]) -> Any:
        """Do as the real one does, but once."""
        answer = await super().transaction(work)
        if not self.lost and isinstance(answer, tuple):
            _, batch = cast("tuple[object, Batch]", answer)
            if EventType.STARTED in {event.type for event in batch.events}:
                self.lost = True
                raise Unavailable("The link was cut.", maybe_applied=True)
        return answer


async def test_bug_013_what_is_due_after_many_leases_runs_once_and_not_before(
    database: str, clock: FakeClock, notes: Notes
) -> None:
    # A handing over that is due later stands for the delayed enqueue of the row.
    workflows = Workflows()
    later = workflows.machine("later", output=str)

    @later.action
    async def ask(ctx: Context[None], params: None) -> Next:
        note(notes.file, "asked")
        return answer.next(None, after=timedelta(seconds=20))

    @later.action
    async def answer(ctx: Context[None], params: None) -> End[str]:
        note(notes.file, "answered")
        return End("done")

    async with services(database, workflows, 3, clock=clock, lease="2s") as (one, *_):
        instance_id = await enqueue(one, "later")
        await told(one, instance_id, EventType.CHECKPOINT)
        await clock.advance(19)
        await asyncio.sleep(0.1)
        assert notes.words() == ["asked"]
        await clock.advance_until(lambda: notes.words() == ["asked", "answered"])
        (instance,) = await ended(one, instance_id)
        assert instance.output == '"done"'
        assert EventType.RECLAIMED not in await types(one, instance_id)
    assert notes.words() == ["asked", "answered"]


async def test_bug_015_who_comes_back_after_its_lease_is_interrupted_and_can_write_nothing(
    crew: Crew, notes: Notes
) -> None:
    crew.sets(WORKFLOW_LEASE="2s", WORKFLOW_HEARTBEAT="0.3s")
    frozen = crew.worker(authors=HARSH)
    crew.ready()
    async with observing(crew, harsh) as observer:
        instance_id = await enqueue(observer, "stale", {"file": notes.file, "seconds": 600})
        await until(lambda: notes.words() == [BEGAN], 60)
        frozen.freeze()
        living = crew.worker(authors=HARSH)
        await until(lambda: notes.words() == [BEGAN] * 2, 60)
        frozen.thaw()
        await until(lambda: "interrupted" in notes.words(), 60)
        assert [each.process for each in notes.all()] == [
            frozen.process.pid,
            living.process.pid,
            frozen.process.pid,
        ]
        await enqueue(observer, "caught", {"file": notes.file, "tag": "other"})
        await until(lambda: notes.words("other") == [BEGAN, ENDED], 60)
        assert await types(observer, instance_id) == [
            EventType.ENQUEUED,
            EventType.STARTED,
            EventType.RECLAIMED,
            EventType.STARTED,
        ]
        found = await observer.workflows.get(instance_id)
        assert found is not None
        assert (found.status, found.output) == (Status.RUNNING, None)


async def test_bug_017_a_renewal_that_is_late_by_half_a_lease_loses_nothing(
    database: str, clock: FakeClock, notes: Notes
) -> None:
    workflows = Workflows()
    release = asyncio.Event()

    @workflows.workflow
    async def work(ctx: Context[None], params: None) -> None:
        note(notes.file, BEGAN)
        await release.wait()
        note(notes.file, ENDED)

    def lease() -> int:
        return rows(database, "SELECT lease_until FROM instances")[0][0] - clock.now()

    async with services(
        database, workflows, 2, clock=clock, lease="10s", heartbeat="0.02s", poll="1s"
    ) as (one, _):
        instance_id = await enqueue(one, "work")
        await until(lambda: notes.words() == [BEGAN], 60)
        for _ in range(3):
            await until(lambda: lease() == 10_000_000, 60)  # the heartbeat beats in real time
            with busy(database):
                await clock.advance(5)
                assert lease() == 5_000_000
        await until(lambda: lease() == 10_000_000, 60)
        release.set()
        await ended(one, instance_id)
        assert await types(one, instance_id) == [
            EventType.ENQUEUED,
            EventType.STARTED,
            EventType.COMPLETED,
        ]
    assert notes.words() == [BEGAN, ENDED]
    with pytest.raises(SettingsError, match="less than half of lease"):
        settings_on(database, lease="10s", heartbeat="5s")


async def test_bug_019_a_claim_whose_answer_was_lost_is_reclaimed_and_runs_once(
    database: str, clock: FakeClock, notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Lost workers are counted apart from attempts, so it has failed no attempt afterwards.
    workflows = Workflows()

    @workflows.workflow
    async def work(ctx: Context[None], params: None) -> int:
        note(notes.file, BEGAN)
        return ctx.attempt

    async def open_losing(*args: Any, **more: Any) -> Database:
        return LosingDatabase(await real(*args, **more))

    real = service.bootstrap.open_database
    async with services(database, workflows, worker=False) as (other,):
        instance_id = await enqueue(other, "work")
        monkeypatch.setattr(service.bootstrap, "open_database", open_losing)
        async with services(database, workflows, clock=clock, lease="30s", poll="1s"):
            async with asyncio.timeout(60):
                while EventType.STARTED not in await types(other, instance_id):
                    await clock.advance(0.1)
                    await asyncio.sleep(0.01)
            ((lease,),) = rows(database, "SELECT lease_until FROM instances")
            await clock.advance((lease - clock.now()) / SECOND - 0.5)
            await asyncio.sleep(0.1)
            assert notes.words() == []
            await clock.advance_until(lambda: notes.words() == [BEGAN])
            (instance,) = await ended(other, instance_id)
        assert (instance.status, instance.attempts, instance.output) == (Status.COMPLETED, 0, "1")
        assert await types(other, instance_id) == [
            EventType.ENQUEUED,
            EventType.STARTED,
            EventType.RECLAIMED,
            EventType.STARTED,
            EventType.COMPLETED,
        ]
        assert rows(database, "SELECT losses FROM instances") == [(1,)]
    assert notes.words() == [BEGAN]


@pytest.mark.parametrize("outage", [0.0, 1.0])
async def test_bug_019_a_link_that_is_cut_between_a_claim_and_its_answer(
    postgres_database: str, proxy: Proxy, notes: Notes, outage: float
) -> None:
    # Whoever reaches the database again in time finds its claim in the log, and runs it.
    workflows = Workflows()

    @workflows.workflow
    async def work(ctx: Context[None], params: None) -> int:
        note(notes.file, BEGAN)
        return ctx.attempt

    async with services(postgres_database, workflows, worker=False) as (other,):
        async with services(
            proxy.url(postgres_database), workflows, lease="2s", busy_timeout="0.3s"
        ):
            await ended(other, await enqueue(other, "work"))  # its links are open
            if outage:
                proxy.refuse()
            trap = proxy.cut_after(commit_after(CLAIM))
            instance_id = await enqueue(other, "work")
            assert await asyncio.to_thread(trap.wait)
            if outage:
                await asyncio.sleep(outage)
                begun = notes.words()
                proxy.accept()
                assert begun == [BEGAN]
            (instance,) = await ended(other, instance_id)
        assert (instance.status, instance.attempts, instance.output) == (Status.COMPLETED, 0, "1")
        lost = [EventType.RECLAIMED, EventType.STARTED] if outage else []
        assert await types(other, instance_id) == [
            EventType.ENQUEUED,
            EventType.STARTED,
            *lost,
            EventType.COMPLETED,
        ]
    assert notes.words() == [BEGAN, BEGAN]


async def test_bug_021_leases_outlive_a_start_of_the_database(
    cluster: Cluster, notes: Notes
) -> None:
    workflows = Workflows()

    @workflows.workflow
    async def work(ctx: Context[None], params: None) -> None:
        note(notes.file, BEGAN, instance=ctx.instance_id)
        await asyncio.sleep(scaled(4.5, 15))
        note(notes.file, ENDED, instance=ctx.instance_id)

    async with services(cluster.url(), workflows, 2, lease="3s") as (one, _):
        ids = await enqueue_many(one, "work", [None] * 10)
        await until(lambda: notes.count(BEGAN) == 10)
        await asyncio.sleep(scaled(0.5, 5))
        await asyncio.to_thread(cluster.restart)
        instances = await outlasting(lambda: ended(one, *ids))
        assert {each.status for each in instances} == {Status.COMPLETED}
        for each in ids:
            assert EventType.RECLAIMED not in await types(one, each)
    assert notes.count(BEGAN) == notes.count(ENDED) == 10
