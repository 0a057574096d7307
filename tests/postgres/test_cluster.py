import asyncio

import asyncpg
import pytest

from tests.postgres.cluster import Cluster, Mode
from tests.postgres.clusters import Clusters


async def ask(url: str, query: str = "SELECT 1") -> object:
    connection = await asyncpg.connect(url, timeout=5)
    try:
        return await connection.fetchval(query, timeout=5)
    finally:
        connection.terminate()


@pytest.mark.parametrize("mode", ["fast", "immediate"])
async def test_a_cluster_comes_back_on_its_port(cluster: Cluster, mode: Mode) -> None:
    url = cluster.url()
    await ask(url, "CREATE TABLE kept (n int)")
    cluster.stop(mode)
    assert not cluster.running
    with pytest.raises(ConnectionRefusedError):
        await ask(url)
    cluster.start()
    assert await ask(url, "SELECT count(*) FROM kept") == 0
    assert ("automatic recovery" in cluster.log) == (mode == "immediate")


async def test_a_read_only_cluster_refuses_writes_until_it_takes_them_again(
    cluster: Cluster,
) -> None:
    cluster.read_only(True)
    with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
        await ask(cluster.url(), "CREATE TABLE refused (n int)")
    cluster.read_only(False)
    await ask(cluster.url(), "CREATE TABLE taken (n int)")


async def test_a_frozen_cluster_answers_once_it_thaws(cluster: Cluster) -> None:
    connection = await asyncpg.connect(cluster.url())
    cluster.freeze()
    asked = asyncio.ensure_future(connection.fetchval("SELECT 1"))
    await asyncio.sleep(0.2)
    assert not asked.done()
    cluster.thaw()
    assert await asyncio.wait_for(asked, 5) == 1
    await connection.close()


async def test_a_frozen_cluster_ends_with_its_test_and_leaves_nothing(clusters: Clusters) -> None:
    with clusters.one({"fsync": "off", "max_connections": "7"}) as cluster:
        assert await ask(cluster.url(), "SHOW max_connections") == "7"
        cluster.freeze()
    assert not cluster.running
    assert not cluster.folder.exists()
