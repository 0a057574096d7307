"""A server made of parts that behave as its arguments say: `python -m tests.cli.parts GRACE NAME…`.

Each part prints what happens to it.
"""

import asyncio
import logging
import os
import sys
import time

from service.cli.grace import Grace
from service.cli.part import Part
from service.cli.supervisor import Supervisor, leave
from service.domain.errors import Unavailable
from service.runtime.clock import SystemClock


class Good(Part):
    """Does as it is told."""

    name = "good"

    async def live(self) -> None:
        self.ready()
        await self.stopping.wait()
        say(f"{self.name} stopped")

    def abandon(self) -> None:
        say(f"{self.name} abandoned")


class Blocked(Good):
    """Keeps its loop busy as soon as it is ready."""

    name = "blocked"

    async def live(self) -> None:
        self.ready()
        time.sleep(600)


class Mute(Blocked):
    """Can't even be abandoned."""

    name = "mute"

    def abandon(self) -> None:
        time.sleep(600)


class Busy(Good):
    """Can't start, for a reason that a person understands."""

    name = "busy"

    async def live(self) -> None:
        raise Unavailable("The database is elsewhere.", maybe_applied=False)


class Broken(Good):
    """Can't start, for a reason that nobody thought of."""

    name = "broken"

    async def live(self) -> None:
        raise ZeroDivisionError("no idea")


class Mortal(Good):
    """Dies a little later."""

    name = "mortal"

    async def live(self) -> None:
        self.ready()
        await asyncio.sleep(0.2)
        raise ZeroDivisionError("it was too much")


class Quitter(Good):
    """Ends a little later, though nobody asked."""

    name = "quitter"

    async def live(self) -> None:
        self.ready()
        await asyncio.sleep(0.2)


class Endless(Good):
    """Never becomes ready."""

    name = "endless"

    async def live(self) -> None:
        say("starting")
        await self.stopping.wait()


class Exiting(Good):
    """Has tasks that end the event loop in every way there is."""

    name = "exiting"

    async def live(self) -> None:
        for end in (sys.exit, _interrupt, asyncio.get_running_loop().stop):
            asyncio.get_running_loop().call_soon(end)
            await asyncio.sleep(0.05)
        await super().live()


class Threaded(Good):
    """Leaves a thread at work that nobody can stop."""

    name = "threaded"

    async def live(self) -> None:
        asyncio.get_running_loop().run_in_executor(None, time.sleep, 600)
        await super().live()


def say(words: str) -> None:
    """Print the words in one piece, whichever thread else prints."""
    os.write(1, f"{words}\n".encode())


def _interrupt() -> None:
    raise KeyboardInterrupt


PARTS = {
    kind.name: kind
    for kind in (Good, Blocked, Mute, Busy, Broken, Mortal, Quitter, Endless, Exiting, Threaded)
}


def main() -> None:
    """Run them."""
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
    grace, *names = sys.argv[1:]
    parts = [PARTS[name]() for name in names]
    supervisor = Supervisor(parts, Grace(float(grace)), SystemClock())
    leave(supervisor.run(lambda: say("started")))


if __name__ == "__main__":
    main()
