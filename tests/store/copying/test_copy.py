"""Everything of one database stands in another afterwards, whatever cuts the copy off."""

import pytest

from service.domain.cursor import decode
from service.domain.errors import Unavailable
from service.domain.events import EventType
from service.domain.transitions import complete
from service.store.copying.copy import copy
from service.store.copying.refusal import CannotCopy
from service.store.upkeep import Reclaim
from tests.clock import FakeClock
from tests.services import Place, Process
from tests.store.copying.content import CutOff, content, cutting, filled, opened, unseen
from tests.store.making import claim, enqueue, move, running


async def test_everything_is_there_and_goes_on(
    process: Process, target: Place, clock: FakeClock
) -> None:
    await filled(process, clock)
    before = await content(process.database)
    assert all(before.values()), {name for name, rows in before.items() if not rows}
    cursor = await process.store.events.head()
    async with opened(target) as database:
        assert await copy(process.database, database, unseen) == sum(map(len, before.values()))
        assert await content(database) == before
        assert await database.fetch("head") == await process.database.fetch("head")
    assert await content(process.database) == before
    async with target.process(process.registry) as there:
        assert await there.store.events.resolve(cursor) == cursor.position
        assert decode((await enqueue(there)).cursor).position == cursor.position + 1
        assert len(await claim(there, 5)) == 2
        given_before = max(row[0] for row in before["hooks"])
        await move(there, complete(await running(there, hooked=True), "1"))
        after = await content(there.database.database)
        assert max(row[0] for row in after["hooks"]) > given_before


async def test_an_id_of_a_hook_that_has_run_is_not_given_again(
    process: Process, target: Place
) -> None:
    await move(process, complete(await running(process, hooked=True), "1"))
    (given,) = await process.rows("SELECT id FROM hooks")
    await process.alter("DELETE FROM hooks")
    async with opened(target) as database:
        await copy(process.database, database, unseen)
    async with target.process(process.registry) as there:
        await move(there, complete(await running(there, hooked=True), "1"))
        assert await there.rows("SELECT id FROM hooks") == [(given[0] + 1,)]


async def test_what_a_lost_worker_held_is_reclaimed_in_the_copy(
    process: Process, target: Place, clock: FakeClock
) -> None:
    held = await running(process)
    await clock.advance(40)
    async with opened(target) as database:
        await copy(process.database, database, unseen)
    async with target.process(process.registry) as there:
        await there.store.write(Reclaim(limit=9))
        assert there.told(held.id) == [EventType.RECLAIMED]


@pytest.mark.parametrize("after", [0, 1, 4, 7, 12, 15])
async def test_a_copy_that_was_cut_off_anywhere_goes_on(
    process: Process, target: Place, clock: FakeClock, after: int
) -> None:
    await filled(process, clock)
    for _ in range(40):
        await enqueue(process)
    with pytest.raises(CutOff):
        async with opened(target) as database:
            await copy(process.database, database, cutting(after))
    with pytest.raises(Unavailable, match=r"has not ended\. Run the same `workflow-service copy`"):
        await target.open()
    told: list[tuple[str, str, int]] = []
    async with opened(target) as database:
        there = await content(database)
        await copy(process.database, database, lambda *each: told.append(each[:3]))
        assert await content(database) == await content(process.database)
    begun: dict[str, int] = {}
    for what, table, done in told:
        if what == "copied":
            begun.setdefault(table, done)
    assert begun == {name: len(rows) for name, rows in there.items()}
    await (await target.open()).close()


async def test_a_copy_that_has_ended_is_compared_when_it_is_asked_for_again(
    process: Process, target: Place, clock: FakeClock
) -> None:
    await filled(process, clock)
    told: list[str] = []
    async with opened(target) as database:
        await copy(process.database, database, unseen)
        await copy(process.database, database, lambda what, *_: told.append(what))
        assert set(told) == {"checked"}
        await database.transaction(lambda tx: tx.compose("UPDATE instances SET priority = 7", ()))
        before = await content(database)
        with pytest.raises(CannotCopy, match="not empty: its instances are not those of the"):
            await copy(process.database, database, unseen)
        assert await content(database) == before
    await (await target.open()).close()


async def test_nothing_is_copied_too(process: Process, target: Place) -> None:
    async with opened(target) as database:
        assert await copy(process.database, database, unseen) == 0
        assert await database.fetch("head") == await process.database.fetch("head")
    await (await target.open()).close()
