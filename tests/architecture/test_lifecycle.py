"""The moves are told of, used, and the only way to another status."""

import ast
import re
from pathlib import Path

import pytest

from service.domain import moves
from service.domain.events import TERMINAL, EventType
from service.domain.instance import ENDED, Status
from service.domain.moves import ENQUEUE, MOVES, Move
from service.store.migrate import migrations
from service.store.statements import load
from tests.architecture.lifecycle import page

ROOT = Path(__file__).parents[2]
DIALECTS = ["service.store.sqlite", "service.store.postgres"]
NAMED = {name: value for name, value in vars(moves).items() if isinstance(value, Move)}

UPDATE = re.compile(r"UPDATE instances(?: i)?\s+SET (.*?)\s+WHERE\s(.*)", re.DOTALL)
INSERT = re.compile(
    r"INSERT INTO instances \((.*?)\)\s+(?:VALUES \((.*?)\)|SELECT (.*?)\s+FROM)", re.DOTALL
)
GIVEN = re.compile(r"[?$]\d+|p\.\w+")
"""What a statement is given, on SQLite and on PostgreSQL."""
STATUS = re.compile(r"\bstatus\s*=\s*(\S+?)(?:,|$|\s)")
GUARD = re.compile(r"\bstatus (?:=|IN) ")
COPY = "copy_instances"


def test_the_page_is_what_the_moves_print() -> None:
    assert (ROOT / "docs/lifecycle.md").read_text() == page(), "run `make docs`"


def test_every_move_is_listed() -> None:
    assert list(MOVES) == list(NAMED.values())
    assert len({move.name for move in MOVES}) == len(MOVES)


def test_every_move_is_used() -> None:
    used: set[str] = set()
    for path in (ROOT / "service").rglob("*.py"):
        if path != ROOT / "service/domain/moves.py":
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Name | ast.Attribute):
                    used.add(node.id if isinstance(node, ast.Name) else node.attr)
    assert set(NAMED) - used == set()


def test_every_event_tells_of_a_move() -> None:
    assert {move.event for move in MOVES} == set(EventType)


def test_what_ended_goes_on_only_when_it_is_requeued() -> None:
    assert {move.name for move in MOVES if ENDED & set(move.sources)} == {"requeue"}
    assert all((move.target in ENDED) == (move.event in TERMINAL) for move in MOVES)


def test_a_cancelled_row_never_goes_back_unheard() -> None:
    """Whatever leaves RUNNING but for an end by its own power gives way to a cancel."""
    own = {"complete", "abort", "ask to cancel"}
    leaving = {move.name for move in MOVES if Status.RUNNING in move.sources} - own
    assert {move.name for move in MOVES if move.yields} == leaving


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_statement_decides_on_a_status(dialect: str) -> None:
    """An UPDATE is told source and target by a move; a new row is where enqueueing puts it.

    A copy of another database's row stands where that one stood.
    """
    writes = {name: text for name, text in load(dialect).items() if writes_status(text)}
    assert COPY in writes
    del writes[COPY]
    assert len(writes) > 4
    for name, text in writes.items():
        if insert := INSERT.search(text):
            columns = [each.strip() for each in insert[1].split(",")]
            values = [each.strip() for each in (insert[2] or insert[3]).split(",")]
            assert values[columns.index("status")] == f"'{ENQUEUE.target}'", name
        else:
            update = UPDATE.search(text)
            assert update, name
            assert all(GIVEN.fullmatch(value) for value in STATUS.findall(update[1])), name
            assert GUARD.search(update[2]), name


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_migration_moves_an_instance(dialect: str) -> None:
    assert not [number for number, text in migrations(dialect) if writes_status(text)]


def test_only_statements_write_instances() -> None:
    writing = [
        path
        for path in (ROOT / "service").rglob("*.py")
        if re.search(r"(UPDATE|INTO|FROM) instances\b", path.read_text())
    ]
    assert writing == []


def writes_status(text: str) -> bool:
    update = UPDATE.search(text)
    return bool(INSERT.search(text) or (update and STATUS.search(update[1])))
