"""A task of three steps through absurd: run by a Python that has `absurd-sdk` and `absurdctl`.

`absurd_three.py URL COUNT` prints the tasks run down a second: they are spawned beforehand, and
workers of one process take them, each in a thread and with a connection of its own, ten tasks to a
claim. There are four of them, or eight: the better counts. (Its async worker was slower.)
"""

import json
import sys
import threading
import time

import psycopg
from absurd_sdk import Absurd  # pyright: ignore[reportMissingImports]
from absurdctl import BUNDLED_SCHEMA_SQL  # pyright: ignore[reportMissingImports]
from psycopg import sql

_STEPS = ("first", "second", "third")
_AT_ONCE = 10
_LOOK = 0.01


def open_app(url: str, queue: str) -> Absurd:
    """Connect to a queue."""
    app = Absurd(url, queue_name=queue)

    @app.register_task("three")
    def three(params, context) -> int:
        for step in _STEPS:
            context.step(step, lambda: 1)
        return params["number"]

    return app


def fill(url: str, queue: str, count: int) -> None:
    """Make a queue and spawn tasks on it."""
    app = open_app(url, queue)
    app.create_queue(queue)
    for number in range(count):
        app.spawn("three", {"number": number, "text": "0123456789"})
    app.close()


def wait_for_all(url: str, queue: str) -> None:
    """Return when every task of a queue is completed."""
    table = sql.Identifier("absurd", f"t_{queue}")
    left = sql.SQL("SELECT EXISTS (SELECT FROM {} WHERE state <> 'completed')").format(table)
    with psycopg.connect(url, autocommit=True) as watch:
        while watch.execute(left).fetchone() != (False,):
            time.sleep(_LOOK)


def drain(url: str, queue: str, count: int, workers: int) -> float:
    """Return how many tasks of a new queue were done a second."""
    fill(url, queue, count)
    apps = [open_app(url, queue) for _ in range(workers)]
    threads = [
        threading.Thread(
            target=app.start_worker, kwargs={"worker_id": str(number), "batch_size": _AT_ONCE}
        )
        for number, app in enumerate(apps)
    ]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    wait_for_all(url, queue)
    rate = count / (time.perf_counter() - start)
    for app in apps:
        app.stop_worker()
    for thread in threads:
        thread.join()
    return rate


def main() -> None:
    """Measure on the empty database that the command line names."""
    url, count = sys.argv[1], int(sys.argv[2])
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(BUNDLED_SCHEMA_SQL)
    drain(url, "warm", 20, 4)
    print(json.dumps(max(drain(url, "four", count, 4), drain(url, "eight", count, 8))))


if __name__ == "__main__":
    main()
