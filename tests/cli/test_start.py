import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.flows import FLOWS
from tests.processes import ROOT, Process, command
from tests.scale import scaled

Start = Callable[..., Process]


@pytest.fixture(scope="module")
def dialect() -> str:
    """Most of these end before there is a database."""
    return "sqlite"


def refusal(server: Process) -> str:
    """Return the one line with which the server refused to start."""
    assert server.ended(within=10) == 1
    (line,) = server.told.splitlines()
    assert line.startswith("error: ")
    return line


def test_a_busy_port(start: Start) -> None:
    first = start().ready()
    assert f"127.0.0.1:{first.port}" in refusal(start(port=first.port))
    assert first.stop() == 0


def test_a_database_that_can_not_be_opened(start: Start, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "file/wf.db" in refusal(start("serve", FLOWS, "--database", "sqlite:///file/wf.db"))


def test_a_database_that_is_none(start: Start, tmp_path: Path) -> None:
    (tmp_path / "letter.db").write_text("Dear reader, " * 100)
    assert "not an SQLite database" in refusal(
        start("serve", FLOWS, "--database", "sqlite:///letter.db")
    )


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("nowhere:workflows", "There is no module 'nowhere'"),
        ("nowhere.at.all:workflows", "There is no module 'nowhere'"),
        ("app.py", "app:workflows for `workflows` in app.py"),
        ("app:flows", "It has workflows, others: write app:workflows."),
        ("app:number", "'number' is no Workflows()"),
        ("empty:workflows", "with `from service import Workflows`"),
        ("broken:workflows", "broken.py:2: ZeroDivisionError: division by zero"),
        ("unmade:workflows", "unmade.py:1: ModuleNotFoundError: No module named 'missing_library'"),
        ("garbled:workflows", "garbled.py:1: SyntaxError:"),
        ("leaving:workflows", "leaving.py:1: SystemExit: bye"),
        ("twice:workflows", "twice.py:6: Two workflows are named 'a'"),
        ("bare:workflows", "Workflow 'a' has no action"),
    ],
)
def test_workflows_that_can_not_be_had(
    start: Start, tmp_path: Path, target: str, says: str
) -> None:
    modules = {
        "app": "from service import Workflows\nworkflows = others = Workflows()\nnumber = 1\n",
        "empty": "",
        "broken": "workflows = None\n1 / 0\n",
        "unmade": "import missing_library\n",
        "garbled": "def\n",
        "leaving": "raise SystemExit('bye')\n",
        "twice": (
            "from service import Context, Workflows\n"
            "workflows = Workflows()\n"
            "@workflows.workflow\n"
            "async def a(ctx: Context[None], params: str) -> str:\n"
            "    return params\n"
            "workflows.machine('a')\n"
        ),
        "bare": "from service import Workflows\nworkflows = Workflows()\nworkflows.machine('a')\n",
    }
    for name, text in modules.items():
        (tmp_path / f"{name}.py").write_text(text)
    assert says in refusal(start("serve", target))


def test_settings_that_make_no_sense(start: Start) -> None:
    server = start(WORKFLOW_LEASE="soon")
    assert server.ended(within=10) == 2
    assert server.told.startswith("error: lease (WORKFLOW_LEASE): ")


def test_a_second_signal_ends_it_now(start: Start, tmp_path: Path) -> None:
    server = start(WORKFLOW_GRACE="60s").ready()
    file = tmp_path / "notes"
    words = ["enqueue", "slow", f'{{"file": "{file}", "seconds": 60}}', "--url", server.url]
    assert run(*words).returncode == 0
    wait_for(file.exists)
    server.signal(signal.SIGTERM)
    time.sleep(0.5)
    assert server.process.poll() is None
    server.signal(signal.SIGTERM)
    assert server.ended(within=1) == 143


@pytest.mark.parametrize("after", [0.3, 0.6, 0.9, 1.2])
def test_a_signal_during_the_start(start: Start, after: float) -> None:
    server = start()
    time.sleep(after)
    server.signal(signal.SIGINT)
    assert server.ended(within=5) in (0, 1, -signal.SIGINT, 130)


def test_starts_and_stops_leave_nothing(start: Start, tmp_path: Path) -> None:
    port = None
    for _ in range(scaled(10, 50)):
        server = start(port=port, WORKFLOW_DATABASE="").ready()
        port = server.port
        assert server.stop() == 0
        assert "Traceback" not in server.told
    left = {path.name for path in tmp_path.iterdir() if path.suffix != ".log"}
    assert left <= {"workflows.db", "workflows.db-lock"}


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*words), cwd=ROOT, capture_output=True, text=True, timeout=30, check=False
    )


def wait_for(done: Callable[[], bool], within: float = 5) -> None:
    end = time.monotonic() + within
    while not done():
        assert time.monotonic() < end
        time.sleep(0.02)
