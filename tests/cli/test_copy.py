"""`copy`, as it is typed: from a file to PostgreSQL, killed in its midst, and done again."""

import asyncio
import os
import signal
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from service import Context, Workflows
from service.bootstrap import open_service
from service.cli.main import main
from service.domain.errors import Unavailable
from service.operations.workflows import EnqueueRequest
from service.settings import Settings
from tests.processes import ROOT, command
from tests.services import lent

COUNT = 3_000


@pytest.fixture
def source(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/wf.db"
    asyncio.run(fill(url, COUNT))
    return url


def flows() -> Workflows:
    workflows = Workflows()

    @workflows.workflow
    async def job(ctx: Context[None], number: int) -> int:
        return number

    return workflows


async def fill(url: str, count: int) -> None:
    async with open_service(Settings.read(database=url), flows(), worker=False) as service:
        for first in range(0, count, 1_000):
            await service.workflows.enqueue_many(
                [EnqueueRequest(name="job", params=n) for n in range(first, first + 1_000)]
            )


async def refused(url: str) -> bool:
    try:
        async with open_service(Settings.read(database=url), Workflows(), worker=False):
            return False
    except Unavailable as error:
        return "workflow-service copy" in str(error)


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["copy", *words])


def test_a_copy_that_is_killed_goes_on(source: str, request: pytest.FixtureRequest) -> None:
    with lent(request, "postgres") as target:
        copying = subprocess.Popen(
            command("copy", source, target),
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stderr=subprocess.PIPE,
            text=True,
        )
        assert copying.stderr is not None
        assert copying.stderr.readline() == f"instances: {COUNT:,} of {COUNT:,} copied\n"
        copying.send_signal(signal.SIGKILL)
        copying.communicate()
        assert asyncio.run(refused(target))
        done = run(source, target)
        assert (done.exit_code, f"{2 * COUNT:,} rows are copied" in done.stdout) == (0, True)
        assert f"events: {COUNT:,} of {COUNT:,} checked" in done.stderr
        assert not asyncio.run(refused(target))
        again = run(source, target)
        assert (again.exit_code, "not empty" in again.stderr) == (1, True)


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    result = run("mysql://x/y", f"sqlite:///{tmp_path}/wf.db")
    assert (result.exit_code, "URL of an SQLite file" in result.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_no_password_is_shown(tmp_path: Path) -> None:
    result = run(f"sqlite:///{tmp_path}/wf.db", "postgresql://me:secret@127.0.0.1:1/wf")
    assert result.exit_code == 1
    assert "wf on 127.0.0.1:1" in result.stderr
    assert "secret" not in result.output
