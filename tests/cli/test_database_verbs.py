from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from service.cli.main import main
from tests.postgres.addresses import with_database
from tests.postgres.server import Server


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def test_migrates_once(blank: str) -> None:
    first = run("migrate", "--database", blank)
    assert (first.exit_code, "Migrations applied: 1" in first.stdout) == (0, True)
    again = run("migrate", "--database", blank)
    assert (again.exit_code, "none was missing" in again.stdout) == (0, True)


def test_prunes_what_there_is(url: str) -> None:
    run("migrate", "--database", url)
    result = run("prune", "--database", url, "--retention", "1s")
    assert (result.exit_code, "0 rows are gone" in result.stdout) == (0, True)


def test_says_which_file_it_can_not_migrate(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run("migrate", "--database", f"sqlite:///{tmp_path}/file/wf.db")
    assert (result.exit_code, "file/wf.db" in result.stderr) == (1, True)


def test_prunes_no_file_that_is_not_there(tmp_path: Path) -> None:
    result = run("prune", "--database", f"sqlite:///{tmp_path}/wf.db")
    assert (result.exit_code, "There is no file" in result.stderr) == (1, True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("verb", ["migrate", "prune"])
def test_says_which_database_is_not_there(verb: str, postgres_server: Server) -> None:
    url = with_database(postgres_server.url, "no_such_database")
    result = run(verb, "--database", url)
    assert result.exit_code == 1
    assert "no_such_database on " in result.stderr
    assert "does not exist" in result.stderr
    assert "--database or WORKFLOW_DATABASE" in result.stderr


@pytest.mark.parametrize("verb", ["migrate", "prune"])
def test_says_which_server_does_not_answer_and_shows_no_password(verb: str) -> None:
    result = run(verb, "--database", "postgresql://me:hush@127.0.0.1:9/wf")
    assert result.exit_code == 1
    assert "wf on 127.0.0.1:9" in result.stderr
    assert "hush" not in result.output


@pytest.mark.parametrize("verb", ["migrate", "prune"])
@pytest.mark.parametrize("url", ["mysql://me:hush@localhost/wf", "postgresql://me:hush@[::1/wf"])
def test_refuses_what_is_no_database(verb: str, url: str) -> None:
    result = run(verb, "--database", url)
    assert (result.exit_code, "postgresql://" in result.stderr) == (2, True)
    assert "hush" not in result.output
