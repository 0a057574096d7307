"""The same no-op through DBOS, as fast as it goes: run by a Python that has `dbos`.

`dbos_noop.py URL COUNT` prints the instances completed a second. They are started one after the
other from one loop, and ten at a time; and called by ten threads, as plain functions: the best
counts. A SQLite file is set to write-ahead logging beforehand, which DBOS leaves alone and which
makes it three times as fast; it stays as durable.
"""

import asyncio
import json
import sqlite3
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from dbos import DBOS  # pyright: ignore[reportMissingImports]

_SQLITE = "sqlite:///"


@DBOS.workflow()
async def noop(number: int) -> int:
    """Return what was given."""
    return number


@DBOS.workflow()
def plain_noop(number: int) -> int:
    """Return what was given, to a thread."""
    return number


async def started(count: int, in_flight: int) -> float:
    """Return how many were completed a second, started from one loop."""
    left = iter(range(count))

    async def caller() -> None:
        for number in left:
            handle = await DBOS.start_workflow_async(noop, number)
            await handle.get_result()

    start = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(in_flight)))
    return count / (time.perf_counter() - start)


def called(count: int, threads: int) -> float:
    """Return how many were completed a second, called by threads."""
    with ThreadPoolExecutor(threads) as pool:
        start = time.perf_counter()
        for _ in pool.map(plain_noop, range(count)):
            pass
        return count / (time.perf_counter() - start)


async def measure(count: int) -> float:
    """Return the best of the ways to call it."""
    DBOS.launch()
    await started(10, 1)
    rates = [
        await started(count, 1),
        await started(count, 10),
        await asyncio.to_thread(called, count, 10),
    ]
    DBOS.destroy()
    return max(rates)


def prepare(path: str) -> None:
    """Make a file with write-ahead logging."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = wal")
    connection.execute("CREATE TABLE made_beforehand (number)")
    connection.close()


def main() -> None:
    """Measure on the database that the command line names."""
    url, count = sys.argv[1], int(sys.argv[2])
    if url.startswith(_SQLITE):
        prepare(url.removeprefix(_SQLITE))
    DBOS(
        config={
            "name": "bench",
            "system_database_url": url,
            "log_level": "ERROR",
            "run_admin_server": False,
        }
    )
    print(json.dumps(asyncio.run(measure(count))))


if __name__ == "__main__":
    main()
