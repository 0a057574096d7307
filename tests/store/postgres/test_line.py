"""What runs on a connection is done once, whatever becomes of the connection."""

import threading
import time
from collections.abc import Callable

import psycopg
import pytest

from service.domain.errors import Unavailable
from service.store.database import Transaction
from service.store.postgres.line import Line
from service.store.ticket import Ticket
from tests.postgres.proxy import Proxy
from tests.scenarios.raw import alter, busy, rows
from tests.services import Place
from tests.store.making import claims, enqueue
from tests.store.postgres.conftest import Lines

LOG = "SELECT position, type FROM events ORDER BY position"
INSTANCES = "SELECT count(*) FROM instances"
HELD = "SELECT count(*) FROM pg_locks WHERE relation = ?::regclass"
GIVEN_UP = 0.5


def count_up(tx: Transaction) -> int:
    """Do what tells of nothing, and is done again where nobody knows whether it was."""
    tx.compose("UPDATE log SET pruned = pruned + 1 WHERE id = ?", (1,))
    return 7


def given_up_soon() -> Ticket:
    """Return a ticket that is over in a moment."""
    ticket = Ticket()
    timer = threading.Timer(GIVEN_UP, ticket.over.set)
    timer.daemon = True
    timer.start()
    return ticket


async def test_a_link_that_is_cut_before_the_commit_has_done_nothing_and_it_is_done_again(
    behind: Place, proxy: Proxy
) -> None:
    async with behind.process() as process:
        await claims(process)  # so that everything is connected
        trap = proxy.cut_before(b"COMMIT")
        placed = await enqueue(process)
        assert trap.sprung == 1
        assert placed.created
        assert await process.rows(LOG) == [(1, "ENQUEUED")]


async def test_a_commit_whose_answer_is_lost_is_found_in_the_log(
    behind: Place, proxy: Proxy
) -> None:
    async with behind.process() as process:
        first = await enqueue(process)
        trap = proxy.cut_after(b"COMMIT")
        second = await enqueue(process, idempotency_key="k")
        assert trap.sprung == 1
        assert second.created, "it was not done again, or it would have found itself"
        assert [event.position for event in process.fed] == [1, 2]
        assert await process.rows(LOG) == [(1, "ENQUEUED"), (2, "ENQUEUED")]
        assert await process.rows(INSTANCES) == [(2,)]
        assert first.cursor != second.cursor
        found = await process.store.instances.get(second.instance.id)
        assert found is not None
        assert found.cursor == second.cursor


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    "words", [b"BEGIN", b"pg_advisory_xact_lock", b"INSERT INTO instances", b"UPDATE log SET head"]
)
async def test_wherever_it_is_cut_it_is_done_once(
    behind: Place, proxy: Proxy, words: bytes, when: str
) -> None:
    async with behind.process() as process:
        await enqueue(process, singleton_key="other")
        trap = (proxy.cut_before if when == "before" else proxy.cut_after)(words)
        placed = await enqueue(process, singleton_key="s")
        assert trap.sprung == 1
        assert placed.created
        assert await process.rows(LOG) == [(1, "ENQUEUED"), (2, "ENQUEUED")]


def test_what_tells_of_nothing_is_done_again_when_the_answer_to_its_commit_is_lost(
    lines: Lines, behind: Place, proxy: Proxy
) -> None:
    line = lines(behind.url)
    line.write(count_up, Ticket())
    proxy.cut_after(b"COMMIT")
    assert line.write(count_up, Ticket()) == 7
    assert rows(behind.url, "SELECT pruned FROM log") == [(3,)]


async def test_a_server_that_is_gone_with_the_answer_leaves_it_open_whether_it_was_done(
    behind: Place, proxy: Proxy
) -> None:
    async with behind.process(busy_timeout=GIVEN_UP) as process:
        await enqueue(process)
        proxy.cut_after(b"COMMIT")
        proxy.refuse()
        with pytest.raises(Unavailable) as caught:
            await enqueue(process)
        assert caught.value.maybe_applied
        proxy.accept()
    assert rows(behind.url, INSTANCES) == [(2,)]


def test_a_server_that_is_not_there_is_waited_for_no_longer_than_the_ticket(
    lines: Lines, behind: Place, proxy: Proxy
) -> None:
    line = lines(behind.url)
    proxy.refuse()
    begun = time.monotonic()
    with pytest.raises(Unavailable, match="can't be reached") as caught:
        line.write(count_up, given_up_soon())
    assert not caught.value.maybe_applied
    assert GIVEN_UP <= time.monotonic() - begun < 3 * GIVEN_UP + 1


def test_a_server_that_comes_back_in_time_is_used(
    lines: Lines, behind: Place, proxy: Proxy, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    line = lines(behind.url)
    line.write(count_up, Ticket())
    proxy.refuse()
    proxy.cut()
    threading.Timer(0.2, proxy.accept).start()
    line.write(count_up, Ticket())
    assert rows(behind.url, "SELECT pruned FROM log") == [(2,)]
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]


def test_a_deadlock_is_the_business_of_nobody(lines: Lines, url: str) -> None:
    for key in "ab":
        alter(url, "INSERT INTO requests VALUES (?, '', '', 0)", key)
    both = threading.Barrier(2)
    done: list[str] = []
    tries: list[str] = []

    def take(line: Line, first: str, second: str) -> None:
        def work(tx: Transaction) -> None:
            tries.append(first)
            tx.compose("UPDATE requests SET at = at + 1 WHERE id = ?", (first,))
            if len(tries) <= 2:
                both.wait(10)
            tx.compose("UPDATE requests SET at = at + 1 WHERE id = ?", (second,))

        line.write(work, Ticket())
        done.append(first)

    threads = [
        threading.Thread(target=take, args=(lines(url), *pair)) for pair in (("a", "b"), ("b", "a"))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(done) == ["a", "b"]
    assert len(tries) == 3
    assert rows(url, "SELECT at FROM requests") == [(2,), (2,)]


def test_whoever_holds_what_it_needs_is_not_waited_for_without_end(lines: Lines, url: str) -> None:
    line = lines(url, busy_timeout=0.3)
    with busy(url), pytest.raises(Unavailable, match="keep the database busy") as caught:
        line.write(count_up, Ticket())
    assert not caught.value.maybe_applied
    assert line.write(count_up, Ticket()) == 7


def test_a_write_that_was_given_up_is_not_begun(lines: Lines, url: str) -> None:
    ticket = Ticket()
    assert ticket.abandon()
    with pytest.raises(Unavailable, match="given up"):
        lines(url).write(count_up, ticket)
    assert rows(url, "SELECT pruned FROM log") == [(0,)]


READS: dict[str, Callable[[Line], object]] = {
    "fetch": lambda line: line.fetch("list_migrations", ()),
    "read": lambda line: line.read(lambda tx: tx.all("list_migrations")),
}


@pytest.mark.parametrize("pooled", [False, True])
@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_a_read_whose_link_is_lost_is_read_again(
    lines: Lines, behind: Place, proxy: Proxy, read: Callable[[Line], object], pooled: bool
) -> None:
    line = lines(behind.url, pooled=pooled)
    before = read(line)
    trap = proxy.cut_after(b"FROM migrations")
    assert read(line) == before
    assert trap.sprung == 1
    proxy.cut()
    assert read(line) == before


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_a_read_whose_link_is_lost_at_once_again_is_refused(
    lines: Lines, behind: Place, proxy: Proxy, read: Callable[[Line], object]
) -> None:
    line = lines(behind.url)
    read(line)
    proxy.cut_before(b"FROM migrations", times=2)
    with pytest.raises(Unavailable) as caught:
        read(line)
    assert not caught.value.maybe_applied
    assert read(line) == [(1,)]


@pytest.mark.parametrize("pooled", [False, True])
def test_a_snapshot_stands_still_and_takes_no_writes(lines: Lines, url: str, pooled: bool) -> None:
    def look(tx: Transaction) -> None:
        before = tx.all("head")
        alter(url, "UPDATE log SET pruned = 5")
        assert tx.all("head") == before
        count_up(tx)

    with pytest.raises(Unavailable, match="takes no writes"):
        lines(url, pooled=pooled).read(look)


@pytest.mark.parametrize("pooled", [False, True])
def test_a_mistake_in_a_statement_is_not_hidden(lines: Lines, url: str, pooled: bool) -> None:
    line = lines(url, pooled=pooled)

    def wrong(tx: Transaction) -> None:
        count_up(tx)
        tx.compose("SELECT nothing FROM nowhere", ())

    with pytest.raises(psycopg.errors.UndefinedTable):
        line.write(wrong, Ticket())
    assert line.write(count_up, Ticket()) == 7
    assert rows(url, "SELECT pruned FROM log") == [(1,)]


def test_what_the_work_raises_undoes_it(lines: Lines, url: str) -> None:
    line = lines(url)

    def work(tx: Transaction) -> None:
        count_up(tx)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        line.write(work, Ticket())
    assert rows(url, "SELECT pruned FROM log") == [(0,)]
    assert line.write(count_up, Ticket()) == 7


def test_a_process_that_stops_in_the_midst_is_put_out_and_does_it_again(
    lines: Lines, url: str
) -> None:
    """The server ends its transaction after two seconds, so that nobody waits for it longer."""
    tries: list[int] = []

    def work(tx: Transaction) -> None:
        count_up(tx)
        if not tries:
            tries.append(1)
            end = time.monotonic() + 10
            while rows(url, HELD, "log") != [(0,)]:
                assert time.monotonic() < end
                time.sleep(0.05)
        count_up(tx)

    lines(url).write(work, Ticket())
    assert rows(url, "SELECT pruned FROM log") == [(2,)]
