"""Takes each committed batch into the ring and wakes whom it concerns."""

import asyncio
import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from service.domain.events import Event
from service.domain.interest import Interest
from service.emitter.ring import Found, Ring
from service.emitter.waiters import Waiters

Listener = Callable[[Sequence[Event]], None]

_log = logging.getLogger(__name__)


class Closed(Exception):
    """The emitter was closed: nothing will come any more."""


class Emitter:
    """One ring of the latest events and its readers; everything here runs on one event loop.

    Positions are contiguous. When a batch leaves a gap (another process wrote what is in between)
    it is not taken: `behind` is set until the events were read from the log and fed.
    """

    def __init__(
        self,
        max_events: int = 8192,
        max_bytes: int = 32 * 1024 * 1024,
        max_size: int = 16 * 1024,
    ) -> None:
        self.behind = asyncio.Event()
        self.listeners = 0
        self.closed = False
        self._wanted = 0
        self._ring = Ring(max_events, max_bytes, max_size)
        self._waiters = Waiters()
        self._callbacks: dict[object, Listener] = {}

    @property
    def head(self) -> int:
        """Return the position of the latest event that was taken."""
        return self._ring.head

    @property
    def oldest(self) -> int:
        """Return the position of the oldest event in the ring; `head` + 1 if it is empty."""
        return self._ring.oldest

    @property
    def wanted(self) -> int:
        """Return how far the log is known to go."""
        return max(self._wanted, self._ring.head)

    @property
    def parked(self) -> int:
        """Return how many readers wait."""
        return self._waiters.count

    def start(self, head: int) -> None:
        """Stand at `head` with an empty ring; the next event that is taken is `head` + 1.

        Parked readers wake where they stood, and so learn from the log what they passed over.
        """
        stood = self._ring.head
        self._ring.reset(head)
        self._waiters.wake_all(stood)
        self._settle()

    def feed(self, events: Sequence[Event]) -> None:
        """Take committed events, in order; drop those that are here, and stop at a gap."""
        ring = self._ring
        fresh: list[Event] = []
        for event in events:
            if event.position == ring.head + 1:
                ring.append(event)
                fresh.append(event)
            elif event.position > ring.head:
                self.miss(events[-1].position)
                break
        if not fresh:
            return
        self._settle()
        self._waiters.wake(fresh)
        self._call_back(fresh)

    def stir(self) -> None:
        """Call the listeners back with no event: something changed that no event tells of."""
        self._call_back(())

    def miss(self, position: int) -> None:
        """Remember that the log goes on to `position` at least."""
        if position > self.wanted:
            self._wanted = position
            self.behind.set()

    def after(self, position: int, interest: Interest, limit: int) -> Found | None:
        """Return at most `limit` matches after the position, and up to where was searched.

        None means: read the log, the position fell out of the ring or the next match is large.
        """
        return self._ring.after(position, interest, limit)

    async def park(self, interest: Interest, position: int) -> int:
        """Wait for a match after the position, and return the position just before it.

        It returns at once when a match is here already, or when the position fell out of the ring
        and the log has to be read. A parked reader stands at the head, however long nothing
        matched. Raises Closed when the emitter is closed.
        """
        if self.closed:
            raise Closed
        ring = self._ring
        if position < ring.oldest - 1:
            return position
        if position < ring.head:
            first = ring.first(position, interest)
            if first is not None:
                return first - 1
        elif position > ring.head:
            self.miss(position)
        woken = await self._waiters.wait(interest, position if position > ring.head else 0)
        if woken is None:
            raise Closed
        return woken

    def on_events(self, callback: Listener) -> Callable[[], None]:
        """Call back with each batch that is taken, until the returned function is called."""
        token = object()
        self._callbacks[token] = callback
        return lambda: self._forget(token)

    @contextmanager
    def listening(self) -> Generator[None]:
        """Count as one of the `listeners` for as long as the block lasts."""
        self.listeners += 1
        try:
            yield
        finally:
            self.listeners -= 1

    def close(self) -> None:
        """End every reader; whoever parks from now on is told at once."""
        self.closed = True
        self._waiters.end_all()

    def _call_back(self, events: Sequence[Event]) -> None:
        for callback in tuple(self._callbacks.values()):
            try:
                callback(events)
            except Exception:
                _log.exception("A listener to the events failed; the others go on.")

    def _forget(self, token: object) -> None:
        self._callbacks.pop(token, None)

    def _settle(self) -> None:
        if self._ring.head >= self._wanted:
            self.behind.clear()
