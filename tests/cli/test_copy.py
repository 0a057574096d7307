"""`copy`, as it is typed: killed in its midst, and done again; refused, with what to do."""

import asyncio
import os
import pty
import re
import signal
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from service import Context, Workflows
from service.bootstrap import open_service
from service.cli.main import main
from service.cli.progress import Progress
from service.operations.workflows import EnqueueRequest
from service.settings import Settings
from service.store.urls import SQLITE
from tests.cli.conftest import Start
from tests.cli.flows import FLOWS
from tests.clock import FakeClock
from tests.processes import ROOT, command
from tests.services import DATABASES, Place, lent, renew_origin
from tests.store.making import running

COUNT = 3_000
ENV = {**os.environ, "PYTHONPATH": str(ROOT)}


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
                [
                    EnqueueRequest(name="job", params=n)
                    for n in range(first, min(first + 1_000, count))
                ]
            )


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["copy", *words])


@pytest.mark.parametrize("to", DATABASES)
def test_a_copy_that_is_killed_goes_on(
    url: str, to: str, request: pytest.FixtureRequest, start: Start
) -> None:
    asyncio.run(fill(url, COUNT))
    with lent(request, to) as target:
        renew_origin(target)
        copying = subprocess.Popen(
            command("copy", url, target), env=ENV, stderr=subprocess.PIPE, text=True
        )
        assert copying.stderr is not None
        line = copying.stderr.readline()
        assert re.fullmatch(r"instances: 3,000 of 3,000 copied, [\d,]+ rows a second\n", line), line
        copying.send_signal(signal.SIGKILL)
        copying.communicate()
        verbs = ("serve", "worker")
        for server in [start(verb, FLOWS, WORKFLOW_DATABASE=target) for verb in verbs]:
            assert server.ended(20) == 1
            assert "has not ended. Run the same `workflow-service copy` again" in server.told
        done = run(url, target)
        assert (done.exit_code, "6,000 rows are copied and checked" in done.stdout) == (0, True)
        assert "instances: 3,000 of 3,000 copied\n" in done.stderr
        assert "events: 3,000 of 3,000 checked" in done.stderr
        again = run(url, target)
        assert (again.exit_code, "6,000 rows are copied and checked" in again.stdout) == (0, True)
        start("serve", FLOWS, WORKFLOW_DATABASE=target).ready()


def test_a_source_with_something_running_is_refused_before_the_target_is_made(
    url: str, tmp_path: Path
) -> None:
    asyncio.run(hold(url))
    result = run(url, f"{SQLITE}{tmp_path}/to.db")
    assert (result.exit_code, "Stop every server and worker" in result.stderr) == (1, True)
    assert list(tmp_path.iterdir()) == []


async def hold(url: str) -> None:
    """Have an instance run, under a lease that outlives the process."""
    async with Place(url, FakeClock()).process() as process:
        await running(process)
        await process.alter("UPDATE instances SET lease_until = ?", 2**62)


def test_a_target_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    urls = [f"{SQLITE}{tmp_path}/{name}.db" for name in ("from", "to")]
    for each in urls:
        asyncio.run(fill(each, 1))
    result = run(*urls)
    assert (result.exit_code, "The target is not empty" in result.stderr) == (1, True)


def test_a_source_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    result = run(f"{SQLITE}{tmp_path}/from.db", f"{SQLITE}{tmp_path}/to.db")
    assert (result.exit_code, "there is no such file" in result.stderr) == (1, True)
    assert list(tmp_path.iterdir()) == []


def test_one_database_is_not_two(tmp_path: Path) -> None:
    result = run(f"{SQLITE}{tmp_path}/wf.db", f"{SQLITE}{tmp_path}/./wf.db")
    assert (result.exit_code, "same database" in result.stderr) == (2, True)


@pytest.mark.parametrize("words", [("mysql://x/y", "sqlite:///wf.db"), ("sqlite:///wf.db", "")])
def test_what_is_no_database_is_wrong_usage(words: tuple[str, str]) -> None:
    result = run(*words)
    assert (result.exit_code, "URL of an SQLite file" in result.stderr) == (2, True)


def test_no_password_is_shown(tmp_path: Path) -> None:
    source = f"{SQLITE}{tmp_path}/from.db"
    asyncio.run(fill(source, 1))
    result = run(source, "postgresql://me:secret@127.0.0.1:1/wf")
    assert result.exit_code == 1
    assert "wf on 127.0.0.1:1" in result.stderr
    assert "secret" not in result.output


def test_a_terminal_shows_one_line_that_changes(tmp_path: Path) -> None:
    urls = [f"{SQLITE}{tmp_path}/{name}.db" for name in ("from", "to")]
    asyncio.run(fill(urls[0], 100))
    ours, theirs = pty.openpty()
    copying = subprocess.Popen(
        command("copy", *urls), env=ENV, stdout=subprocess.DEVNULL, stderr=theirs
    )
    os.close(theirs)
    told = b""
    while part := read(ours):
        told += part
    os.close(ours)
    assert copying.wait() == 0
    lines = told.decode().split("\n")
    assert "\r\x1b[Kinstances: 48 of 100 copied, " in lines[0]
    assert lines[0].count("\x1b[K") >= 4
    assert re.search(r"instances: 100 of 100 copied, [\d,]+ rows a second\r$", lines[0])


def read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # it was closed at the other end
        return b""


async def test_elsewhere_a_line_comes_for_each_table_and_every_ten_seconds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    clock = FakeClock()
    with Progress(clock) as progress:
        for done in range(1_000, 5_000, 500):
            progress("copied", "events", done, 5_000)
            await clock.advance(4)
        progress("copied", "events", 5_000, 5_000)
        progress("copied", "queues", 0, 0)
    assert capsys.readouterr().err.splitlines() == [
        "events: 2,500 of 5,000 copied, 125 rows a second",
        "events: 4,000 of 5,000 copied, 125 rows a second",
        "events: 5,000 of 5,000 copied, 125 rows a second",
        "queues: 0 of 0 copied",
    ]
