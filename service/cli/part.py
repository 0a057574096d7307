"""A thread with an event loop of its own, and what lives on it."""

import asyncio
import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from service.cli.loop import new_event_loop

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Ready:
    """The part does its work from now on."""

    part: "Part"


@dataclass(frozen=True, slots=True)
class Ended:
    """The part is no more: in order, or because of `error`."""

    part: "Part"
    error: BaseException | None


Tell = Callable[[Ready | Ended], None]


class Part(ABC):
    """One of the things that a server is made of; `stop` and `abandon` may come from any thread."""

    name: str

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop_asked = False
        self._tell: Tell = _nobody
        self.stopping = asyncio.Event()

    @abstractmethod
    async def live(self) -> None:
        """Start, call `ready`, go on until `stopping` is set, and put everything away."""

    def abandon(self) -> None:
        """Do the least that others need, since the process ends now though `live` has not."""
        return

    def start(self, tell: Tell) -> None:
        """Start the thread; `tell` is called from it."""
        self._tell = tell
        threading.Thread(target=self._run, name=self.name, daemon=True).start()

    def ready(self) -> None:
        """Say that the part does its work."""
        self._tell(Ready(self))

    def stop(self) -> None:
        """Have the part end in order; once is enough, and before its start is not too early."""
        with self._lock:
            self._stop_asked = True
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self.stopping.set)

    def _run(self) -> None:
        error: BaseException | None = None
        try:
            with asyncio.Runner(loop_factory=new_event_loop) as runner:
                error = self._run_on(runner.get_loop())
        except BaseException as broken:
            error = error or broken
        self._tell(Ended(self, error))

    def _run_on(self, loop: asyncio.AbstractEventLoop) -> BaseException | None:
        with self._lock:
            self._loop = loop
            if self._stop_asked:
                self.stopping.set()
        living = loop.create_task(self.live(), name=self.name)
        try:
            while not living.done():
                try:
                    loop.run_until_complete(living)
                except BaseException as error:
                    if living.done() or loop.is_closed():
                        return error
                    _log.exception("The event loop of the %s was stopped; it goes on.", self.name)
        finally:
            with self._lock:
                self._loop = None
        return None


def _nobody(_: Ready | Ended) -> None:
    return
