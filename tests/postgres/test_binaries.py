import os
from importlib.util import find_spec
from pathlib import Path

import asyncpg
import pytest

from tests.postgres import binaries
from tests.postgres.account import Account
from tests.postgres.clusters import Clusters


async def version(url: str) -> object:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval("SHOW server_version")
    finally:
        await connection.close()


async def test_the_programs_of_the_wheel_serve_where_there_is_no_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(binaries, "DEBIAN", Path("/nowhere"))
    with Clusters() as clusters, clusters.one() as cluster:
        assert str(await version(cluster.url())).startswith("18.")


async def test_programs_out_of_reach_are_copied_and_the_copies_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spec = find_spec(binaries.WHEEL)
    assert spec is not None
    assert spec.origin is not None
    package = Path(spec.origin).parent
    reaches = Account.reaches
    monkeypatch.setattr(binaries, "DEBIAN", Path("/nowhere"))
    monkeypatch.setattr(
        Account,
        "reaches",
        lambda account, path: package not in path.parents and reaches(account, path),
    )
    with Clusters() as clusters, clusters.one() as cluster:
        copies = cluster.binaries.folder
        assert package not in copies.parents
        assert str(await version(cluster.url())).startswith("18.")
    assert not copies.exists()


def test_a_cluster_never_runs_as_root(clusters: Clusters) -> None:
    runs_as = clusters.account.run("id", "-u").strip()
    assert runs_as != "0"
    assert os.geteuid() == 0 or runs_as == str(os.geteuid())
