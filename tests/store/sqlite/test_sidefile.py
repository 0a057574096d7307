import threading
from pathlib import Path

import pytest

from service.store.sqlite.sidefile import SideFile
from tests.services import Place, Process
from tests.store.making import enqueue


def test_a_position_is_told_to_every_handle(tmp_path: Path) -> None:
    one, two = SideFile(tmp_path / "wf.db"), SideFile(tmp_path / "wf.db")
    assert one.read() == two.read() == 0
    for position in (1, 255, 256, 2**31, 2**62):
        with one.turn():
            one.tell(position)
        assert one.read() == two.read() == position
    one.close()
    two.close()


def test_only_one_has_the_turn(tmp_path: Path) -> None:
    inside = 0
    most = 0

    def work() -> None:
        nonlocal inside, most
        side = SideFile(tmp_path / "wf.db")
        for _ in range(200):
            with side.turn():
                inside += 1
                most = max(most, inside)
                inside -= 1
        side.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_a_turn_ends_though_its_block_fails(tmp_path: Path) -> None:
    one, two = SideFile(tmp_path / "wf.db"), SideFile(tmp_path / "wf.db")
    with pytest.raises(ZeroDivisionError), one.turn():
        raise ZeroDivisionError
    with two.turn():
        pass
    one.close()
    two.close()


async def test_every_process_knows_how_far_the_log_goes(
    process: Process, other: Process, place: Place
) -> None:
    assert process.store.committed() == other.store.committed() == 0
    for count in range(1, 4):
        await enqueue(process)
        assert process.store.committed() == other.store.committed() == count
    async with place.process() as third:
        assert third.store.committed() == 3


async def test_it_lies_beside_the_database(place: Place, process: Process) -> None:
    assert process.store.committed() == 0
    names = {path.name for path in place.path.parent.iterdir()}
    assert "wf.db-lock" in names
