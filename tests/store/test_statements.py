import importlib
import re
import sys
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from service.store.statements import load, pieces

PACKAGE = "statements_of_a_test"


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


def test_every_statement_is_used_and_every_one_used_is_there() -> None:
    store = Path(__file__).parents[2] / "service" / "store"
    code = "\n".join(path.read_text() for path in store.rglob("*.py"))
    named = set(load("service.store.sqlite"))
    unused = {name for name in named if not re.search(rf'"{name}"', code)}
    assert unused == set()
    asked = set(re.findall(r'tx\.(?:one|all|many|run)\(\s*"(\w+)"', code))
    assert asked - named == set()
