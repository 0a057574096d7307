"""Statements that go out together, and what becomes of them when one fails or the link does."""

import time
from collections.abc import Generator

import psycopg
import pytest

from service.store.postgres.link import Link
from service.store.postgres.wire import Reply, Wire
from tests.postgres.proxy import Proxy
from tests.scenarios.raw import rows
from tests.services import Place

PREPARED = "SELECT count(*) FROM pg_prepared_statements"


@pytest.fixture
def plain(url: str) -> Generator[Wire]:
    """A wire that keeps no statement at the server, as behind a pooler."""
    wire = Wire(Link(url, 5).connect(), patience=5, named=False)
    yield wire
    wire.close()


def ask(wire: Wire, text: str, *params: bytes, kept: bool = True) -> Reply:
    reply = wire.send(text, params, kept=kept)
    wire.receive()
    return reply


def test_answers_come_with_the_next_receive(wire: Wire) -> None:
    first, second = wire.send("SELECT 1, 'a'"), wire.send("SELECT $1::int + 1", [b"2"])
    assert (first.rows, second.rows, wire.waiting) == (None, None, True)
    wire.receive()
    assert (first.rows, second.rows, wire.waiting) == ([(1, "a")], [(3,)], False)
    assert (first.tag, second.tag) == (b"SELECT 1", b"SELECT 1")


def test_however_many_they_go_out_in_one_round_trip(behind: Place, proxy: Proxy) -> None:
    wire = Link(behind.url, 5).wire()
    proxy.slow(0.1)
    begun = time.monotonic()
    replies = [wire.send(f"SELECT {number}") for number in range(50)]
    wire.receive()
    assert [reply.rows for reply in replies] == [[(number,)] for number in range(50)]
    assert time.monotonic() - begun < 1
    wire.close()


def test_what_is_larger_than_every_buffer_passes_both_ways(wire: Wire) -> None:
    large = b"x" * 20_000_000
    replies = [wire.send("SELECT $1::text", [large]) for _ in range(2)]
    wire.receive()
    assert [reply.rows for reply in replies] == [[(large.decode(),)]] * 2


def test_the_first_error_is_raised_and_what_follows_is_not_done(wire: Wire, url: str) -> None:
    before = wire.send("SELECT 1")
    wire.send("SELECT 1 / 0")
    after = wire.send("CREATE TABLE more (n int)")
    with pytest.raises(psycopg.errors.DivisionByZero):
        wire.receive()
    assert (before.rows, after.rows) == ([(1,)], None)
    assert rows(url, "SELECT to_regclass('more')") == [(None,)]
    assert ask(wire, "SELECT 2").rows == [(2,)]


def test_a_statement_is_parsed_once(wire: Wire) -> None:
    [(before,)] = ask(wire, PREPARED).rows or []
    for _ in range(3):
        ask(wire, "SELECT 1")
        ask(wire, "SELECT 2", kept=False)
    assert ask(wire, PREPARED).rows == [(before + 1,)]


def test_one_that_could_not_be_parsed_is_parsed_again(wire: Wire) -> None:
    for _ in range(2):
        wire.send("SELECT n FROM more")
        wire.send("SELECT 3")
        with pytest.raises(psycopg.errors.UndefinedTable):
            wire.receive()
    ask(wire, "CREATE TABLE more (n int)")
    assert ask(wire, "SELECT n FROM more").rows == []
    assert ask(wire, "SELECT 3").rows == [(3,)]


def test_without_names_nothing_is_kept_at_the_server(plain: Wire) -> None:
    for _ in range(2):
        assert ask(plain, "SELECT $1::int", b"1").rows == [(1,)]
    assert ask(plain, PREPARED).rows == [(0,)]


def test_no_answer_is_awaited_for_long(behind: Place, proxy: Proxy) -> None:
    wire = Wire(Link(behind.url, 5).connect(), patience=0.2, named=True)
    proxy.stall()
    begun = time.monotonic()
    with pytest.raises(psycopg.OperationalError, match="in time") as caught:
        ask(wire, "SELECT 1")
    assert 0.2 <= time.monotonic() - begun < 2
    assert caught.value.sqlstate is None
    wire.close()


def test_the_end_of_a_session_is_told_with_its_reason(wire: Wire, url: str) -> None:
    [(process,)] = ask(wire, "SELECT pg_backend_pid()").rows or []
    rows(url, "SELECT pg_terminate_backend(?)", process)
    with pytest.raises(psycopg.errors.AdminShutdown):
        ask(wire, "SELECT 1")


@pytest.mark.parametrize("before", [True, False])
def test_a_link_that_is_cut_has_no_code(behind: Place, proxy: Proxy, before: bool) -> None:
    wire = Link(behind.url, 5).wire()
    trap = proxy.cut_before(b"SELECT 1") if before else proxy.cut_after(b"SELECT 1")
    with pytest.raises(psycopg.OperationalError) as caught:
        ask(wire, "SELECT 1")
    assert caught.value.sqlstate is None
    assert trap.sprung == 1
    wire.close()


def test_a_script_is_any_number_of_statements(wire: Wire) -> None:
    wire.send("BEGIN")
    wire.script("CREATE TABLE more (n int); INSERT INTO more VALUES (1);\n-- so\nSELECT 1;")
    assert ask(wire, "SELECT n FROM more").rows == [(1,)]
    ask(wire, "ROLLBACK")
    assert ask(wire, "SELECT to_regclass('more')").rows == [(None,)]


def test_a_script_that_fails_says_where(wire: Wire) -> None:
    with pytest.raises(psycopg.errors.UndefinedTable, match="nowhere"):
        wire.script("CREATE TABLE more (n int); INSERT INTO nowhere VALUES (1);")
    assert ask(wire, "SELECT to_regclass('more')").rows == [(None,)]
