"""Many subscribers to one stream, in a process of their own.

`python -m bench.ws_load PORT SUBSCRIBERS EVENTS` reads the JSON of the subscription from the first
line of its standard input, connects, and prints `ready`. When each subscriber has had that many
events it prints the moment of the last one (CLOCK_MONOTONIC, in seconds). It stays connected until
its standard input ends.
"""

import asyncio
import json
import sys
import time

import uvloop

from bench.subscriber import Subscriber

_AT_A_TIME = 50


class Crowd:
    """Subscribers, and how many events they have had together."""

    def __init__(self, port: int, size: int, expected: int) -> None:
        self._port = port
        self._size = size
        self._left = size * expected
        self.last: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._subscribers: list[Subscriber] = []

    async def open(self, body: dict[str, object]) -> None:
        """Connect everybody."""
        while len(self._subscribers) < self._size:
            group = [Subscriber(self._port, self._count) for _ in range(_AT_A_TIME)]
            group = group[: self._size - len(self._subscribers)]
            await asyncio.gather(*(one.open(body) for one in group))
            self._subscribers.extend(group)

    def close(self) -> None:
        """Disconnect everybody."""
        for one in self._subscribers:
            one.close()

    def _count(self, event: bytes) -> None:
        self._left -= 1
        if self._left == 0:
            self.last.set_result(time.monotonic())


async def follow(port: int, size: int, expected: int) -> None:
    """Follow until standard input ends."""
    loop = asyncio.get_running_loop()
    crowd = Crowd(port, size, expected)
    await crowd.open(json.loads(sys.stdin.readline()))
    print("ready", flush=True)
    if expected:
        print(await crowd.last, flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    crowd.close()


def main() -> None:
    """Run what the command line asks for."""
    port, size, expected = (int(argument) for argument in sys.argv[1:4])
    uvloop.run(follow(port, size, expected))


if __name__ == "__main__":
    main()
