"""What a copy goes to is empty, and can't be served until the copy has ended."""

import asyncio

import pytest

from service.domain.errors import Unavailable
from service.store.copying.copy import copy
from service.store.copying.refusal import CannotCopy
from service.store.copying.tables import TABLES
from service.store.copying.target import begin, finish, put
from tests.clock import FakeClock
from tests.scenarios.raw import alter, rows
from tests.services import Place, Process
from tests.store.copying.content import CutOff, content, cutting, opened, unseen
from tests.store.making import enqueue

REQUESTS = TABLES[-1]


async def test_a_target_with_something_in_it_is_refused_unchanged(
    process: Process, target: Place
) -> None:
    await enqueue(process)
    async with target.process(process.registry) as there:
        await enqueue(there)
        before = await content(there.database.database)
        with pytest.raises(CannotCopy, match="not empty: there are rows in instances, events"):
            await copy(process.database, there.database.database, unseen)
        assert await content(there.database.database) == before
        await enqueue(there)


async def test_somebody_elses_database_is_refused_unchanged(blank: str) -> None:
    alter(blank, "CREATE TABLE theirs (n INTEGER)")
    for _ in range(2):
        with pytest.raises(Unavailable, match="somebody else's tables are in it"):
            async with opened(Place(blank, FakeClock())):
                pass
    with pytest.raises(Exception, match="migrations"):
        rows(blank, "SELECT number FROM migrations")


async def test_whoever_has_the_target_open_can_write_nothing_until_the_copy_ends(
    process: Process, target: Place
) -> None:
    await enqueue(process)
    async with target.process(process.registry) as early:
        async with opened(target) as database:
            with pytest.raises(CutOff):
                await copy(process.database, database, cutting(3))
            with pytest.raises(Exception, match="has not ended"):
                await enqueue(early)
            await copy(process.database, database, unseen)
        await enqueue(early)


async def test_a_difference_is_found(process: Process, target: Place) -> None:
    await enqueue(process)

    def spoil(what: str, table: str, *_: object) -> None:
        if (what, table) == ("copied", "requests"):
            alter(target.url, "UPDATE instances SET priority = 7")

    async with opened(target) as database:
        with pytest.raises(CannotCopy, match="not the same in instances"):
            await copy(process.database, database, spoil)
    with pytest.raises(Unavailable, match="has not ended"):
        await target.open()


async def test_of_two_copies_at_once_nothing_comes_twice(process: Process, target: Place) -> None:
    for _ in range(100):
        await enqueue(process)
    async with opened(target) as one, opened(target) as other:
        ends = await asyncio.gather(
            *(copy(process.database, each, unseen) for each in (one, other)), return_exceptions=True
        )
        refused = [each for each in ends if isinstance(each, BaseException)]
        assert all(isinstance(each, CannotCopy) for each in refused), refused
        await copy(process.database, one, unseen)
        assert await content(one) == await content(process.database)


async def test_what_was_written_already_is_not_written_again(target: Place) -> None:
    """As when the answer to a commit is lost."""
    log = (5, 6, 0, 7)
    given = [("a", "f", "{}", 1), ("b", "f", "{}", 2)]
    async with opened(target) as database:
        assert await begin(database, log)
        assert await begin(database, log)
        await put(database, REQUESTS, ("",), given)
        await put(database, REQUESTS, ("",), given)
        with pytest.raises(CannotCopy, match="Somebody else writes requests"):
            await put(database, REQUESTS, ("",), given[:1])
        await finish(database, log, (0,))
        await finish(database, log, (0,))
        assert (await content(database))["requests"] == given
        assert await database.fetch("head") == [log]
