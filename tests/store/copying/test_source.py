"""What a copy comes from is at rest, and stays as it is."""

import pytest

from service.domain.errors import Unavailable
from service.store.batch import perform
from service.store.copying.copy import copy
from service.store.copying.refusal import CannotCopy
from service.store.enqueue import Enqueue
from service.store.migrate import Purpose
from service.store.opening import open_database
from tests.clock import FakeClock
from tests.scenarios.raw import rows
from tests.services import Place, Process
from tests.store.copying.content import content, opened, unseen
from tests.store.making import asked, enqueue, launch, running


async def test_a_source_in_use_is_refused(process: Process, target: Place) -> None:
    await running(process)
    async with opened(target) as database:
        with pytest.raises(CannotCopy, match=r"a lease \(1\)\. Stop every server and worker"):
            await copy(process.database, database, unseen)
        assert not any((await content(database)).values())
    await (await target.open()).close()


@pytest.mark.parametrize("moment", [("copied", "events", 16), ("checked", "requests", 0)])
async def test_a_source_that_moves_meanwhile_is_noticed_at_once(
    process: Process, target: Place, moment: tuple[str, str, int]
) -> None:
    for _ in range(20):
        await enqueue(process)
    told: list[tuple[str, str, int]] = []

    def meddle(*each: object) -> None:
        told.append(each[:3])  # type: ignore[arg-type]
        if told[-1] == moment:
            write = Enqueue(launches=[launch()], request=asked())
            session = process.database.session()
            session.transaction(lambda tx: perform(tx, [write]))
            session.close()

    async with opened(target) as database:
        with pytest.raises(CannotCopy, match="Something was written to the source"):
            await copy(process.database, database, meddle)
        if moment[0] == "copied":
            assert told[-1] == moment
        with pytest.raises(CannotCopy, match="another state of this one"):
            await copy(process.database, database, unseen)
    with pytest.raises(Unavailable, match="has not ended"):
        await target.open()


async def test_a_database_that_nobody_worked_on_is_no_source(blank: str, dialect: str) -> None:
    clock = FakeClock()
    with pytest.raises(Unavailable, match=r"no such file|no service has worked on it"):
        await open_database(blank, busy_timeout=5, clock=clock, purpose=Purpose.COPY_FROM)
    if dialect == "sqlite":
        assert not Place(blank, clock).path.exists()
    else:
        assert rows(blank, "SELECT to_regclass('migrations')") == [(None,)]


async def test_half_a_copy_is_no_source(process: Process, target: Place) -> None:
    await enqueue(process)

    def cut(*_: object) -> None:
        raise InterruptedError

    async with opened(target) as database:
        with pytest.raises(InterruptedError):
            await copy(process.database, database, cut)
    with pytest.raises(Unavailable, match="a copy into it has not ended"):
        async with opened(target, Purpose.COPY_FROM):
            pass
