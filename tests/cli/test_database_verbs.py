from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from service.cli.main import main


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/wf.db"


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def test_migrates_once(database: str) -> None:
    first = run("migrate", "--database", database)
    assert (first.exit_code, "Migrations applied: 1" in first.stdout) == (0, True)
    again = run("migrate", "--database", database)
    assert (again.exit_code, "none was missing" in again.stdout) == (0, True)


def test_says_why_it_can_not_migrate(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run("migrate", "--database", f"sqlite:///{tmp_path}/file/wf.db")
    assert (result.exit_code, "file/wf.db" in result.stderr) == (1, True)


def test_prunes_what_there_is(database: str) -> None:
    run("migrate", "--database", database)
    result = run("prune", "--database", database, "--retention", "1s")
    assert (result.exit_code, "0 rows are gone" in result.stdout) == (0, True)


def test_prunes_no_database_that_is_not_there(database: str, tmp_path: Path) -> None:
    result = run("prune", "--database", database)
    assert (result.exit_code, "There is no file" in result.stderr) == (1, True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("verb", ["migrate", "prune"])
def test_refuses_what_is_no_database(verb: str) -> None:
    result = run(verb, "--database", "postgresql://localhost/wf")
    assert (result.exit_code, "only SQLite" in result.stderr) == (2, True)
