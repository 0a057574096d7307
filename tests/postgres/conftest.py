"""What the tests of these tools stand on."""

from tests.postgres.fixtures import cluster, clusters, database, databases, proxy, server

__all__ = ["cluster", "clusters", "database", "databases", "proxy", "server"]
