"""A copy of the file, put back: what docs/operations.md says of it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from service.domain.cursor import decode
from service.domain.errors import InvalidCursor
from service.domain.instance import Status
from service.store.upkeep import Reclaim
from tests.services import Place
from tests.store.making import claim, enqueue, running, status

WAYS = ["backup", "vacuum"]


def saved(place: Place) -> Path:
    return place.path.with_name("copy.db")


def copy(place: Place, way: str) -> None:
    """Copy the database while it is in use."""
    with closing(sqlite3.connect(place.path)) as source:
        if way == "vacuum":
            source.execute("VACUUM INTO ?", (str(saved(place)),))
        else:
            with closing(sqlite3.connect(saved(place))) as target:
                source.backup(target)


def put_back(place: Place) -> None:
    for ending in ("-wal", "-shm"):
        place.path.with_name(place.path.name + ending).unlink(missing_ok=True)
    saved(place).replace(place.path)


@pytest.mark.parametrize("way", WAYS)
async def test_a_restored_copy_is_the_state_of_that_moment(place: Place, way: str) -> None:
    async with place.process() as process:
        held = await running(process)
        copy(place, way)
        undone = await enqueue(process)
    put_back(place)
    place.clock.set_wall(31)
    async with place.process() as process:
        assert await process.store.instances.get(undone.instance.id) is None
        assert await process.store.write(Reclaim(limit=10)) == [held.id]
        assert await status(process, held.id) == Status.PENDING
        [again] = await claim(process)
        assert (again.id, again.losses) == (held.id, 1)


@pytest.mark.parametrize("way", WAYS)
async def test_a_cursor_that_a_restore_undid_is_told_from_those_that_hold(
    place: Place, way: str
) -> None:
    async with place.process() as process:
        before = decode((await enqueue(process)).cursor)
        copy(place, way)
        undone = decode((await enqueue(process)).cursor)
    put_back(place)
    async with place.process() as process:
        assert await process.store.events.resolve(before) == before.position
        with pytest.raises(InvalidCursor, match="past the end"):
            await process.store.events.resolve(undone)
        other = decode((await enqueue(process)).cursor)
        assert other.position == undone.position
        with pytest.raises(InvalidCursor, match="another history"):
            await process.store.events.resolve(undone)


async def test_the_side_file_tells_of_the_restored_log_and_not_of_the_longer_one(
    place: Place,
) -> None:
    async with place.process() as process:
        await enqueue(process)
        copy(place, "backup")
        await enqueue(process)
        assert process.store.committed() == 2
    put_back(place)
    async with place.process() as process:
        assert process.store.committed() == 1


async def test_without_a_side_file_the_log_is_told_of_all_the_same(place: Place) -> None:
    async with place.process() as process:
        await enqueue(process)
    place.path.with_name(f"{place.path.name}-lock").unlink()
    async with place.process() as process:
        assert process.store.committed() == 1
