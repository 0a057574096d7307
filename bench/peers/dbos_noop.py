"""The same no-op through DBOS, as fast as it goes on SQLite: run by a Python that has `dbos`.

`dbos_noop.py FILE COUNT` prints the instances completed a second. The file is set to write-ahead
logging beforehand, which DBOS leaves alone and which makes it three times as fast; it stays as
durable. Calls are made one after the other from one loop, and ten at a time: the better counts.
"""

import asyncio
import json
import sqlite3
import sys
import time

from dbos import DBOS  # pyright: ignore[reportMissingImports]


@DBOS.workflow()
async def noop(number: int) -> int:
    """Return what was given."""
    return number


async def drain(count: int, in_flight: int) -> float:
    """Return how many were completed a second."""
    left = iter(range(count))

    async def caller() -> None:
        for number in left:
            handle = await DBOS.start_workflow_async(noop, number)
            await handle.get_result()

    start = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(in_flight)))
    return count / (time.perf_counter() - start)


async def measure(count: int) -> float:
    """Return the better of two ways to call it."""
    DBOS.launch()
    await drain(10, 1)
    rates = [await drain(count, 1), await drain(count, 10)]
    DBOS.destroy()
    return max(rates)


def main() -> None:
    """Measure on the file that the command line names."""
    path, count = sys.argv[1], int(sys.argv[2])
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = wal")
    connection.execute("CREATE TABLE made_beforehand (number)")
    connection.close()
    DBOS(
        config={
            "name": "bench",
            "system_database_url": f"sqlite:///{path}",
            "log_level": "ERROR",
            "run_admin_server": False,
        }
    )
    print(json.dumps(asyncio.run(measure(count))))


if __name__ == "__main__":
    main()
