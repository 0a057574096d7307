"""How clusters come and go: one for a test, and one that all processes of a test run share.

What a run that was killed has left, processes and files, goes when the next run needs a cluster.
"""

import os
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Self

from tests.postgres.account import find_account
from tests.postgres.binaries import find_binaries
from tests.postgres.cluster import Cluster, end_in
from tests.postgres.folders import Folder, alone, disk, leftovers, memory, named

RUN = "PYTEST_XDIST_TESTRUNUID"
"""Where pytest-xdist tells its workers which run they belong to."""

_MANY = {"max_connections": "300"}


class Clusters:
    """Makes clusters; initdb runs once, and each cluster begins as a copy of what it made."""

    def __init__(self) -> None:
        self.account = find_account()
        self._run = os.environ.get(RUN, f"{os.getpid()}")
        self._memory = memory(self.account)
        self._disk = disk(self.account)
        self._template: Path | None = None
        self._ends = ExitStack()
        with alone(self._disk):
            self._clear(self._disk)
            self.binaries = find_binaries(self.account, self._copies)
        with alone(self._memory):
            self._clear(self._memory)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.close()

    @contextmanager
    def one(self, settings: Mapping[str, str] | None = None) -> Generator[Cluster]:
        """Start a cluster of one's own, with these settings, until the block ends."""
        template = self._template or self._make_template()
        with self.empty() as cluster:
            cluster.make(template, settings)
            cluster.start()
            yield cluster

    @contextmanager
    def empty(self) -> Generator[Cluster]:
        """Have a folder for a cluster that has no files yet, until the block ends."""
        with alone(self._memory):
            folder = Folder(named(self._memory), self.account)
        try:
            yield Cluster(self.binaries, folder.path)
        finally:
            self._leave(folder, self._memory)

    @contextmanager
    def shared(self) -> Generator[Cluster]:
        """Have the cluster that the processes of this run share, until the block ends.

        The first that comes starts it, and the last that leaves ends it.
        """
        with alone(self._memory):
            folder = Folder(named(self._memory, f"{self._run}-shared"), self.account)
            cluster = Cluster(self.binaries, folder.path)
            try:
                if not cluster.running:
                    cluster.make(settings=_MANY)
                    cluster.start()
            except BaseException:
                folder.leave()
                cluster.end()
                raise
        try:
            yield cluster
        finally:
            self._leave(folder, self._memory)

    def _make_template(self) -> Path:
        with alone(self._memory):
            folder = Folder(named(self._memory), self.account)
        self._ends.callback(self._leave, folder, self._memory)
        self.binaries.initdb(folder.path / "data")
        self._template = folder.path / "data"
        return self._template

    def _copies(self) -> Path:
        """Return the folder for copies of programs, which this run's processes share."""
        folder = Folder(named(self._disk, f"{self._run}-programs"), self.account)
        self._ends.callback(self._leave, folder, self._disk)
        return folder.path

    def _leave(self, folder: Folder, where: Path) -> None:
        with alone(where):
            if folder.leave():
                end_in(folder.path)

    def _clear(self, where: Path) -> None:
        for path in leftovers(where):
            end_in(path)


@contextmanager
def shared_cluster() -> Generator[Cluster]:
    """Have the cluster that the processes of this run share, until the block ends."""
    with Clusters() as clusters, clusters.shared() as cluster:
        yield cluster
