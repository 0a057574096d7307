"""The same no-op through procrastinate: run by a Python that has `procrastinate` and `uvloop`.

`procrastinate_noop.py URL COUNT` prints the jobs run down a second: they are deferred beforehand in
one batch, and workers take them until none is left. One worker has ten jobs at a time, or four in
the same process five each: the better counts. Finished jobs are kept, as by default.
"""

import asyncio
import json
import sys
import time

import uvloop
from procrastinate import (  # pyright: ignore[reportMissingImports]
    App,
    PsycopgConnector,
)

_CONNECTIONS = 10


async def drain(app: App, count: int, workers: int, concurrency: int) -> float:
    """Return how many jobs were done a second."""
    deferred = [{"number": number, "text": "0123456789"} for number in range(count)]
    await app.tasks["noop"].batch_defer_async(*deferred)
    start = time.perf_counter()
    await asyncio.gather(
        *(
            app.run_worker_async(wait=False, concurrency=concurrency, install_signal_handlers=False)
            for _ in range(workers)
        )
    )
    return count / (time.perf_counter() - start)


async def measure(url: str, count: int) -> float:
    """Return the better of two ways to work."""
    pool = {"conninfo": url, "min_size": _CONNECTIONS, "max_size": _CONNECTIONS}
    app = App(connector=PsycopgConnector(**pool))

    @app.task(name="noop")
    async def noop(number: int, text: str) -> int:
        return number

    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        await drain(app, 20, 1, 10)
        return max(await drain(app, count, 1, 10), await drain(app, count, 4, 5))


if __name__ == "__main__":
    print(json.dumps(uvloop.run(measure(sys.argv[1], int(sys.argv[2])))))
