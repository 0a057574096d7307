"""Starts the parts of a server, waits for a signal, and sees to the end of all of them.

The main thread has no event loop: signals go into an inbox, and so does what the parts tell. So
nothing that blocks a part's loop keeps the process from ending in time.
"""

import faulthandler
import logging
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType
from typing import NoReturn

from service.cli.grace import Grace
from service.cli.part import Ended, Part, Ready
from service.cli.status import DONE, REFUSED, explain, say
from service.domain.clock import Clock

SIGNALS = (signal.SIGTERM, signal.SIGINT)
LAST_RESORT_SECONDS = 2.0
"""After so much more than the grace the process is ended even if no Python code can run."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Signalled:
    """A signal came."""

    number: int


News = Ready | Ended | Signalled


class Supervisor:
    """Runs the parts, each started when the one before is ready, until a signal or an end of one.

    The first signal stops all of them at once; a part that has not ended within the grace is
    abandoned. The second signal ends the process at once, with 128 and its number as the status.
    """

    def __init__(self, parts: Sequence[Part], grace: Grace, clock: Clock) -> None:
        self._parts = parts
        self._grace = grace
        self._clock = clock
        self._inbox: queue.SimpleQueue[News] = queue.SimpleQueue()
        self._alive: list[Part] = []

    def run(self, started: Callable[[], None]) -> int:
        """Return the exit status, once everything is over; `started` is called in between."""
        _send_signals_to(self._inbox)
        news = self._start()
        if news is None:
            started()
            news = self._inbox.get()
            if isinstance(news, Ended):
                _log.critical("The %s ended by itself.", news.part.name, exc_info=news.error)
        elif isinstance(news, Ended):
            _tell_of_start(news)
        return self._stop(news)

    def _start(self) -> News | None:
        """Start the parts; return what came instead of one being ready."""
        for part in self._parts:
            self._alive.append(part)
            part.start(self._inbox.put)
            news = self._inbox.get()
            if not isinstance(news, Ready):
                return news
        return None

    def _stop(self, reason: News) -> int:
        deadline = self._clock.monotonic() + self._grace.to_end
        faulthandler.dump_traceback_later(self._grace.to_end + LAST_RESORT_SECONDS, exit=True)
        for part in self._alive:
            part.stop()
        if isinstance(reason, Signalled):
            _log.info("%s: stopping. Another one ends it now.", signal.Signals(reason.number).name)
            status = DONE
        else:
            status = REFUSED
            self._remove(reason)
        while self._alive:
            try:
                news = self._inbox.get(timeout=max(0.0, deadline - self._clock.monotonic()))
            except queue.Empty:
                self._abandon()
                break
            if isinstance(news, Signalled):
                os._exit(128 + news.number)
            if isinstance(news, Ended) and news.error is not None:
                _log.error("The %s ended badly.", news.part.name, exc_info=news.error)
                status = REFUSED
            self._remove(news)
        return status

    def _remove(self, news: News) -> None:
        if isinstance(news, Ended):
            self._alive.remove(news.part)

    def _abandon(self) -> None:
        """Let each part that has not ended say its last words, and wait no longer for them."""
        names = ", ".join(part.name for part in self._alive)
        _log.warning("Not ended in %g s: %s. It is left behind.", self._grace.to_end, names)
        threads = [threading.Thread(target=part.abandon, daemon=True) for part in self._alive]
        for thread in threads:
            thread.start()
        deadline = self._clock.monotonic() + self._grace.last_words
        for thread in threads:
            thread.join(max(0.0, deadline - self._clock.monotonic()))


def leave(status: int) -> NoReturn:
    """End the process with the status, whoever's thread is still at work."""
    if threading.active_count() > 1:
        with suppress(OSError):
            sys.stdout.flush()
        logging.shutdown()
        os._exit(status)
    raise SystemExit(status)


def _tell_of_start(ended: Ended) -> None:
    if ended.error is None:
        say(f"The {ended.part.name} ended before it was ready.")
    elif (reason := explain(ended.error)) is not None:
        say(reason)
    else:
        _log.critical("The %s could not start.", ended.part.name, exc_info=ended.error)


def _send_signals_to(inbox: "queue.SimpleQueue[News]") -> None:
    def note(number: int, frame: FrameType | None) -> None:
        inbox.put(Signalled(number))

    for number in SIGNALS:
        signal.signal(number, note)
