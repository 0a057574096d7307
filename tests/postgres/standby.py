"""A second cluster that follows a first one, and takes its place."""

from collections.abc import Generator
from contextlib import contextmanager

import psycopg

from tests.postgres.cluster import Cluster
from tests.postgres.clusters import Clusters

PRIMARY = {"wal_level": "replica", "max_wal_senders": "4", "hot_standby": "on"}
"""Settings that a cluster needs to be followed."""


@contextmanager
def standby_of(primary: Cluster, clusters: Clusters) -> Generator[Cluster]:
    """Start a cluster that has all that the primary has; from now on commits wait for it."""
    with clusters.empty() as standby:
        standby.follow(primary)
        standby.start()
        with psycopg.connect(primary.url(), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            connection.execute("SELECT pg_reload_conf()")
        yield standby
