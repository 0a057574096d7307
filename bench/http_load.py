"""Asks one thing over HTTP, again and again, from a process of its own.

`python -m bench.http_load PORT CONNECTIONS SECONDS` reads the JSON body to post from its standard
input, and prints how many were answered a second.
"""

import asyncio
import json
import sys
import time

import uvloop

from bench.http_wire import Connection, post

PATH = "/graphql"


class Load:
    """Keeps each connection busy until the time is up."""

    def __init__(self, request: bytes, seconds: float) -> None:
        self._request = request
        self._seconds = seconds
        self._open = 0
        self._end = 0.0
        self._answers = 0
        self._done = asyncio.get_running_loop().create_future()

    async def run(self, port: int, connections: int) -> float:
        """Return the answers a second."""
        loop = asyncio.get_running_loop()
        pairs = [
            await loop.create_connection(lambda: Connection(self._answered), "127.0.0.1", port)
            for _ in range(connections)
        ]
        self._open = connections
        start = time.perf_counter()
        self._end = start + self._seconds
        for _, connection in pairs:
            connection.send(self._request)
        await asyncio.wait_for(self._done, self._seconds + 10)
        return self._answers / (time.perf_counter() - start)

    def _answered(self, connection: Connection, head: bytes, body: bytes) -> None:
        if b" 200 " not in head[:20] or b'"errors"' in body:
            self._done.set_exception(RuntimeError(f"{head[:40]!r} {body[:500]!r}"))
            return
        self._answers += 1
        if time.perf_counter() < self._end:
            connection.send(self._request)
            return
        connection.close()
        self._open -= 1
        if not self._open:
            self._done.set_result(None)


def main() -> None:
    """Run the load that the command line names."""
    port, connections, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])

    async def load() -> float:
        request = post(PATH, json.load(sys.stdin), port)
        return await Load(request, seconds).run(port, connections)

    print(json.dumps(uvloop.run(load())))


if __name__ == "__main__":
    main()
