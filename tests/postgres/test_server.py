import subprocess
import sys
from pathlib import Path

import pytest

from tests.postgres import binaries, server
from tests.postgres.addresses import lasting_port
from tests.postgres.clusters import Clusters
from tests.postgres.postmaster import Postmaster
from tests.postgres.server import VARIABLE, NoServer, Server, found_server


def test_there_is_a_server_that_says_where_it_is_from(server: Server) -> None:
    assert server.origin
    assert int(server.version.split(".")[0]) >= 13


def test_a_named_server_that_cannot_be_reached_fails_and_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(VARIABLE, f"postgresql://postgres@127.0.0.1:{lasting_port()}/postgres")
    with pytest.raises(NoServer, match=f"or unset {VARIABLE}"), found_server():
        pass


def test_without_any_server_or_programs_it_fails_and_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(server, "_local_server", lambda: None)
    monkeypatch.setattr(binaries, "DEBIAN", Path("/nowhere"))
    monkeypatch.setattr(binaries, "WHEEL", "no_such_package")
    with pytest.raises(NoServer, match="pip install -e"), found_server():
        pass


def test_processes_of_a_run_share_the_server_that_the_first_one_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(server, "_local_server", lambda: None)
    with found_server() as first:
        with found_server() as second:
            assert second == first
        with found_server() as third:
            assert third == first


def test_what_a_killed_run_left_goes_with_the_next() -> None:
    script = (
        "from tests.postgres.clusters import Clusters\n"
        "with Clusters() as clusters, clusters.one() as cluster:\n"
        "    print(cluster.folder, flush=True)\n"
        "    input()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stdout is not None
        folder = Path(run.stdout.readline().strip())
        run.kill()
    left = Postmaster(folder / "data")
    assert left.pid is not None
    with Clusters():
        assert left.pid is None
        assert not folder.exists()
