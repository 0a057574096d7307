"""How a connection is set up."""

import psycopg
import pytest

from service.store.postgres.link import Link
from service.store.postgres.wire import Wire
from tests.postgres.addresses import database_of
from tests.scenarios.raw import alter

SETTINGS = {
    "lock_timeout": "1500ms",
    "statement_timeout": "1500ms",
    "idle_in_transaction_session_timeout": "2s",
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "jit": "off",
    "synchronous_commit": "on",
}


def setting(wire: Wire, name: str) -> str:
    reply = wire.send(f"SHOW {name}", kept=False)
    wire.receive()
    assert reply.rows is not None
    return reply.rows[0][0]


@pytest.fixture
def link(url: str) -> Link:
    return Link(url, 1.5)


def test_a_session_is_set_up_once(link: Link) -> None:
    wire = link.wire()
    assert {name: setting(wire, name) for name in SETTINGS} == SETTINGS
    assert link.begin(snapshot=False) == ("BEGIN",)
    wire.close()


def test_what_a_pooler_lends_is_set_up_for_each_transaction_alone(url: str) -> None:
    link = Link(url, 1.5, pooled=True)
    wire = link.wire()
    before = {name: setting(wire, name) for name in SETTINGS}
    assert before != SETTINGS
    for snapshot in (False, True):
        for text in link.begin(snapshot=snapshot):
            wire.send(text)
        assert {name: setting(wire, name) for name in SETTINGS} == SETTINGS
        assert setting(wire, "transaction_read_only") == ("on" if snapshot else "off")
        wire.send("ROLLBACK")
        assert {name: setting(wire, name) for name in SETTINGS} == before
    wire.close()


@pytest.mark.parametrize(
    ("default", "used"),
    [("off", "on"), ("local", "on"), ("remote_apply", "remote_apply"), ("on", "on")],
)
def test_a_commit_waits_for_the_disk_at_least(url: str, default: str, used: str) -> None:
    alter(url, f"ALTER DATABASE {database_of(url)} SET synchronous_commit = '{default}'")
    wire = Link(url, 5).wire()
    assert setting(wire, "synchronous_commit") == used
    wire.close()


def test_it_says_who_it_is_unless_the_url_does(url: str) -> None:
    for address, name in ((url, "workflow-service"), (f"{url}?application_name=mine", "mine")):
        wire = Link(address, 5).wire()
        assert setting(wire, "application_name") == name
        wire.close()


def test_whoever_does_not_answer_is_not_waited_for(behind_stalled: str) -> None:
    with pytest.raises(psycopg.OperationalError, match="timeout"):
        Link(behind_stalled, 1).connect()


@pytest.fixture
def behind_stalled(request: pytest.FixtureRequest) -> str:
    """The URL of a database behind a proxy that lets nothing pass."""
    behind, proxy = request.getfixturevalue("behind"), request.getfixturevalue("proxy")
    proxy.stall()
    return behind.url
