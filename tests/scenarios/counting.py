"""How often services ask their database, counted between them and it."""

import time
from typing import Any

import pytest

import service.bootstrap
from service.store.database import Database, Params, Row, Work
from tests.store.properties.faulty import FaultyDatabase


class Tally:
    """How often databases that are counted together were asked, and how long transactions took."""

    def __init__(self) -> None:
        self.reads = 0
        self.transactions = 0
        self.seconds: list[float] = []

    @property
    def all(self) -> int:
        """Return how often anything was asked."""
        return self.reads + self.transactions


class Counted(FaultyDatabase):
    """Does what the real one does, and counts it, but for what a heartbeat does."""

    def __init__(self, real: Database, tally: Tally) -> None:
        super().__init__(real)
        self._tally = tally

    async def fetch(self, name: str, params: Params = ()) -> list[Row]:
        """Read one statement."""
        self._tally.reads += 1
        return await super().fetch(name, params)

    async def read(self, work: Work[Any]) -> Any:
        """Read."""
        self._tally.reads += 1
        return await super().read(work)

    async def transaction(self, work: Work[Any]) -> Any:
        """Write."""
        self._tally.transactions += 1
        began = time.perf_counter()
        try:
            return await super().transaction(work)
        finally:
            self._tally.seconds.append(time.perf_counter() - began)


def count_from_here(monkeypatch: pytest.MonkeyPatch) -> Tally:
    """Have every service that is opened from now on counted."""
    tally = Tally()
    real = service.bootstrap.open_database

    async def opened(*args: Any, **more: Any) -> Database:
        return Counted(await real(*args, **more), tally)

    monkeypatch.setattr(service.bootstrap, "open_database", opened)
    return tally
