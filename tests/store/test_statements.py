import importlib
import re
import sys
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from service.store.statements import load, pieces

PACKAGE = "statements_of_a_test"
STORE = Path(__file__).parents[2] / "service" / "store"
USE = re.compile(r'(?:\.(?:all|one|many|every|run|fetch)\(\s*|SQL\[)"(\w+)"')
OWN = {
    "sqlite": {
        "insert_event": "a row at a time, at a position that was counted",
        "advance_head": "where the log ends now",
    },
    "postgres": {
        "append": "all the events at once, and the news of them",
        "appended": "what became of a commit whose answer was lost",
        "clock": "the server's, as its processes' may differ",
        "hold_log": "whoever still commits what is asked for is waited for",
        "lock_instances": "there are writers beside each other",
        "lock_keys": "the same",
        "lock_migrations": "the same",
        "lock_queues": "the same",
    },
}
"""What only one dialect has, and why."""


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Callable[..., None]]:
    folder = tmp_path / PACKAGE
    folder.mkdir()
    (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))

    def put(**files: str) -> None:
        for name, text in files.items():
            (folder / f"{name}.sql").write_text(text)
        importlib.invalidate_caches()
        load.cache_clear()
        pieces.cache_clear()
        importlib.import_module("service.store.statements")._parts.cache_clear()

    yield put
    sys.modules.pop(PACKAGE, None)


def test_statements_come_by_name_without_comments_or_semicolon(
    write: Callable[..., None],
) -> None:
    write(
        one="-- name: first\n-- It does this.\nSELECT 1\n  FROM a;\n\n-- name: second\nSELECT 2;\n",
        two="-- This file has a heading.\n\n-- name: third\nSELECT 3;\n",
    )
    assert load(PACKAGE) == {
        "first": "SELECT 1\n  FROM a",
        "second": "SELECT 2",
        "third": "SELECT 3",
    }


def test_fragments_are_put_where_they_are_named(write: Callable[..., None]) -> None:
    write(
        one="-- name: first\nSELECT {columns} FROM a;\n",
        two="-- fragment: columns\n-- In their order.\na, b\n",
    )
    assert load(PACKAGE) == {"first": "SELECT a, b FROM a"}
    assert pieces(PACKAGE) == {"columns": "a, b"}


def test_two_statements_of_one_name_are_refused(write: Callable[..., None]) -> None:
    write(one="-- name: first\nSELECT 1;\n", two="-- fragment: first\na\n")
    with pytest.raises(ValueError, match="'first'"):
        load(PACKAGE)


def test_a_fragment_that_is_nowhere_is_an_error(write: Callable[..., None]) -> None:
    write(one="-- name: first\nSELECT {columns};\n")
    with pytest.raises(KeyError, match="columns"):
        load(PACKAGE)


def test_other_files_are_left_alone(write: Callable[..., None], tmp_path: Path) -> None:
    write(one="-- name: first\nSELECT 1;\n")
    (tmp_path / PACKAGE / "notes.txt").write_text("-- name: second\n")
    assert set(load(PACKAGE)) == {"first"}


@pytest.mark.parametrize("dialect", OWN)
def test_every_statement_is_used_and_every_one_used_is_there(dialect: str) -> None:
    """Pieces are used by name alone, which is why their names are looked for as they are."""
    named = set(load(f"service.store.{dialect}"))
    code = "\n".join(
        path.read_text()
        for path in STORE.rglob("*.py")
        if path.parent.name not in OWN or path.parent.name == dialect
    )
    assert {name for name in named if f'"{name}"' not in code} == set()
    assert set(USE.findall(code)) - named == set()


def test_each_dialect_has_the_same_statements_and_pieces_but_for_a_few_of_its_own() -> None:
    shared = {each: set(load(f"service.store.{each}")) - set(own) for each, own in OWN.items()}
    assert shared["sqlite"] == shared["postgres"]
    for dialect, own in OWN.items():
        assert set(own) <= set(load(f"service.store.{dialect}")), dialect
    assert set(pieces("service.store.sqlite")) == set(pieces("service.store.postgres"))


def test_a_statement_takes_the_same_parameters_in_each_dialect() -> None:
    sqlite, postgres = load("service.store.sqlite"), load("service.store.postgres")
    for name in set(sqlite) & set(postgres):
        plain, numbered = sqlite[name].count("?"), re.findall(r"\?(\d+)", sqlite[name])
        taken = max(map(int, numbered)) if numbered else plain
        assert taken == max(map(int, re.findall(r"\$(\d+)", postgres[name])), default=0), name


def test_what_is_run_on_many_at_once_takes_arrays_on_postgresql() -> None:
    """Its rows begin with the number of what they answer."""
    postgres = load("service.store.postgres")
    code = "\n".join(path.read_text() for path in STORE.rglob("*.py"))
    for name in set(re.findall(r'\.(?:many|every)\(\s*"(\w+)"', code)):
        assert "WITH ORDINALITY" in postgres[name], name
        assert re.search(r"(?:SELECT|RETURNING) p\.n\b", postgres[name]), name
    for name in set(re.findall(r'\.run\(\s*"(\w+)"', code)) & set(postgres):
        assert re.search(r"(unnest|ANY )\(\$1::\w+\[\]", postgres[name]), name
