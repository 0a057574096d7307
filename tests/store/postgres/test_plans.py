"""Hot statements go by the index that was made for them, whatever the planner was told of tables.

He is told once in a minute or so, and statements are planned before and after.
"""

from collections.abc import Generator, Sequence
from itertools import product
from typing import Any

import pytest

from service.domain.cursor import Key
from service.domain.instance import Status
from service.domain.listing import InstanceFilter, Order
from service.store.database import Params, Row, Transaction
from service.store.listing import Stretch, list_instances
from service.store.postgres.literal import columns
from service.store.postgres.transaction import SQL
from service.store.postgres.wire import Wire
from tests.postgres.databases import Databases
from tests.postgres.judging import prepare
from tests.scenarios.raw import alter
from tests.services import Place, Process
from tests.store.postgres.explaining import (
    Node,
    explained,
    indexes,
    rows_touched,
    steps,
)

PLANS = {
    "ready_lanes": {"instances_ready", "queues_pkey"},
    "ready_in_lane": {"instances_ready"},
    "count_running": {"instances_running"},
    "running_depths": {"instances_running"},
    "ready_depths": {"instances_ready"},
    "claim": {"instances_pkey"},
    "spend_tokens": {"queues_pkey"},
    "renew": {"instances_pkey"},
    "expired": {"instances_running"},
    "still_expired": {"instances_pkey"},
    "promote": {"instances_due", "instances_pkey"},
    "upkeep": {"hooks_due", "instances_due", "instances_ready", "instances_running"},
    "progress": {"instances_pkey"},
    "progressed": {"instances_pkey"},
    "settle": {"instances_pkey"},
    "cancel": {"instances_pkey"},
    "ask_to_cancel": {"instances_pkey"},
    "status_of": {"instances_pkey"},
    "requeue": {"instances_pkey"},
    "get_instance": {"instances_pkey"},
    "find_idempotent": {"instances_idempotency"},
    "singleton_of": {"instances_pkey"},
    "living_of_key": {"instances_singleton"},
    "unblock": {"instances_pkey", "instances_singleton", "instances_singleton_holder"},
    "list_failures": {"failures_pkey"},
    "lock_instances": {"instances_pkey"},
    "lock_queues": {"queues_pkey"},
    "events_after": {"events_pkey"},
    "events_of_instance": {"events_instance"},
    "event_at": {"events_pkey"},
    "appended": {"events_instance"},
    "claim_hook": {"hooks_pkey"},
    "due_hooks": {"hooks_due"},
    "delete_hook": {"hooks_pkey"},
    "find_request": {"requests_pkey"},
    "ended_before": {"instances_finished", "hooks_instance"},
    "prunable_event": {"events_pkey"},
    "delete_events": {"events_pkey"},
}
UNLIMITED = {"ready_in_lane", "events_after", "events_of_instance", "promote", "ready_lanes"}
COLUMNS = (
    "id, name, queue, status, ready, blocked, singleton_key, idempotency_key, lease_until, "
    "finished_at, fence, priority, run_after, created_at, updated_at, max_attempts, max_lost, "
    "action, input"
)
REST = "1, 0, n, n, n, 3, 2, 'pay', '1' FROM generate_series(1, ?) n"
ENDED = f"""
INSERT INTO instances ({COLUMNS})
SELECT 'e' || n, 'n' || n % 5, 'q' || n % 3, 'COMPLETED', FALSE, FALSE, NULL, NULL, NULL, n, {REST}
"""
EVENTS = """
INSERT INTO events (position, type, instance_id, name, queue, status, at)
SELECT n, 'COMPLETED', 'e' || n, 'n', 'q', 'COMPLETED', n FROM generate_series(1, ?) n
"""
TELL = "VACUUM ANALYZE instances, events"
LATER = 10**17
PAST = 10_000
"""How much has ended."""


@pytest.fixture
def url(postgres_databases: Databases) -> Generator[str]:
    """A database that no earlier test has left its traces in."""
    url = postgres_databases.blank()
    prepare(url)
    yield url
    postgres_databases.release(url)


@pytest.fixture
def large(url: str) -> str:
    """A database in which much has ended, and whose planner has just been told."""
    alter(url, ENDED, PAST)
    alter(url, EVENTS, PAST)
    alter(url, TELL)
    return url


@pytest.fixture(params=["empty", "large"])
def tables(request: pytest.FixtureRequest) -> None:
    if request.param == "large":
        request.getfixturevalue("large")


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("mode", ["custom", "generic"])
def test_a_statement_goes_by_its_index(wire: Wire, mode: str) -> None:
    for name, expected in PLANS.items():
        plan = explained(wire, name, mode)
        assert indexes(plan) == expected, name
        if name in UNLIMITED:
            assert not [step for step in plan if "Sort" in step["Node Type"]], name


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("mode", ["custom", "generic"])
def test_no_statement_reads_a_whole_table(wire: Wire, mode: str) -> None:
    hot = [name for name in SQL if name in PLANS or name.startswith(("insert_", "delete_"))]
    for name in hot:
        plan = explained(wire, name, mode)
        assert not [step for step in plan if step["Node Type"] == "Seq Scan" and not _log(step)]


def _log(step: Node) -> bool:
    """Tell whether a step reads the log's one row."""
    return step["Relation Name"] == "log"


BURST = {
    "running": (
        "'i' || n, 'n' || n % 5, 'q' || n % 3, 'RUNNING', FALSE, FALSE, 'k' || n, 'd' || n, "
        f"{LATER}, NULL"
    ),
    "blocked": (
        "'b' || n, 'n' || n % 5, 'q' || n % 3, 'PENDING', FALSE, TRUE, 'b' || n, NULL, NULL, NULL"
    ),
    "ready": (
        "'r' || n, 'n' || n % 5, 'q' || n % 3, 'PENDING', TRUE, FALSE, NULL, NULL, NULL, NULL"
    ),
}
MANY = 600


def burst(url: str) -> None:
    """Let much happen at once."""
    for values in BURST.values():
        alter(url, f"INSERT INTO instances ({COLUMNS}) SELECT {values}, {REST}", MANY)


def many(make: Any) -> list[Params]:
    return [make(n) for n in range(1, MANY + 1)]


ASKED: dict[str, list[Params]] = {
    "get_instance": many(lambda n: (f"i{n}",)),
    "find_idempotent": many(lambda n: (f"n{n % 5}", f"d{n}")),
    "living_of_key": many(lambda n: (f"n{n % 5}", f"k{n}")),
    "singleton_of": many(lambda n: (f"i{n}",)),
    "status_of": many(lambda n: (f"i{n}",)),
    "renew": many(lambda n: (f"i{n}", 1, LATER)),
    "still_expired": many(lambda n: (f"i{n}", 2 * LATER)),
    "progress": many(
        lambda n: (f"i{n}", 1, 1, "RUNNING", "RUNNING", "b", "1", "1", 3, None, False, 5)
    ),
    "ask_to_cancel": many(lambda n: (f"i{n}", "RUNNING", 5, "r")),
    "settle": many(
        lambda n: (
            *(f"i{n}", 1, 1, "RUNNING", 0, 1, "COMPLETED", 0, 0, None, False, "1", None, 6, 6),
        )
    ),
    "unblock": many(lambda n: (f"n{n % 5}", f"b{n}", LATER)),
    "claim": many(lambda n: (f"r{n}", "PENDING", "RUNNING", "w", LATER, 5)),
    "cancel": many(lambda n: (f"r{n}", "PENDING", "RUNNING", "CANCELLED", 5, "r")),
    "delete_instance": many(lambda n: (f"e{n}",)),
}


@pytest.mark.usefixtures("tables")
def test_a_burst_that_the_planner_has_not_heard_of_costs_each_its_own_rows(
    wire: Wire, url: str
) -> None:
    """Where it begins with all that runs, say, the cost is their number times that of the asked."""
    for values in BURST.values():
        alter(url, f"INSERT INTO instances ({COLUMNS}) SELECT {values}, {REST}", MANY)
    for name, params in ASKED.items():
        wire.send("BEGIN")
        reply = wire.send(f"EXPLAIN (ANALYZE, FORMAT JSON) {SQL[name]}", columns(params))
        wire.send("ROLLBACK")
        wire.receive()
        touched = rows_touched(steps(reply.rows))
        assert MANY <= touched <= 12 * MANY, name


class Explaining:
    """A transaction that collects the plans of what it is asked, carried out."""

    def __init__(self, tx: Transaction) -> None:
        self.tx = tx
        self.plans: list[list[Node]] = []

    def piece(self, name: str) -> str:
        return self.tx.piece(name)

    def compose(self, text: str, params: Params) -> list[Row]:
        self.plans.append(steps(self.tx.compose(f"EXPLAIN (ANALYZE, FORMAT JSON) {text}", params)))
        return []


async def strands(process: Process, wanted: InstanceFilter, stretch: Stretch) -> list[list[Node]]:
    def work(tx: Transaction) -> list[list[Node]]:
        explaining = Explaining(tx)
        list_instances(explaining, wanted, stretch)  # type: ignore[arg-type]
        return explaining.plans

    return await process.database.read(work)


PICKS: Sequence[Sequence[Any]] = ((None, ["n1"]), (None, ["q1"]), (None, *([x] for x in Status)))


@pytest.fixture(params=["heard", "unheard"])
def filled(request: pytest.FixtureRequest, place: Place, process: Process) -> Process:
    """Much has ended, and some lives, of which the planner has heard or not."""
    alter(place.url, ENDED, PAST)
    alter(place.url, TELL)
    burst(place.url)
    if request.param == "heard":
        alter(place.url, TELL)
    return process


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("after", [None, Key(300, "i")])
async def test_no_list_looks_through_what_has_ended(
    filled: Process, order: Order, after: Key | None
) -> None:
    for names, queues, statuses in product(*PICKS):
        wanted = InstanceFilter(names=names, queues=queues, statuses=statuses, order=order)
        plans = await strands(filled, wanted, Stretch(limit=51, after=after))
        assert sum(map(rows_touched, plans)) < PAST / 2, wanted


@pytest.mark.parametrize(
    ("given", "index"),
    [
        ({"statuses": [Status.FAILED]}, "instances_unwell"),
        ({"statuses": [Status.CANCELLED]}, "instances_unwell"),
        ({"idempotency_key": "d5"}, "instances_idempotency"),
        ({"singleton_key": "k5"}, "instances_singleton"),
        ({}, "instances_created"),
    ],
)
async def test_a_list_goes_by_the_index_of_its_size(
    filled: Process, given: dict[str, object], index: str
) -> None:
    wanted = InstanceFilter(**given)  # type: ignore[arg-type]
    [plan] = await strands(filled, wanted, Stretch(limit=51))
    assert indexes(plan) == {index}
