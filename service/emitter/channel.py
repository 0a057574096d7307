"""Brings events from one service to another, each on its own event loop in one process."""

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress

from service.domain.events import Event
from service.emitter.emitter import Emitter

_MOST_BATCHES = 256


class Inbox:
    """Takes batches from any thread and feeds them on the emitter's loop.

    It keeps a bounded number of batches: what a loop that doesn't turn has missed, its relay reads
    from the log.
    """

    def __init__(self, emitter: Emitter) -> None:
        self._emitter = emitter
        self._loop = asyncio.get_running_loop()
        self._batches: deque[Sequence[Event]] = deque(maxlen=_MOST_BATCHES)
        self._called = False

    def offer(self, events: Sequence[Event]) -> None:
        """Hand a committed batch over, or an empty one to stir the listeners; never waits."""
        self._batches.append(events)
        if not self._called:
            self._called = True
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._feed)

    def _feed(self) -> None:
        self._called = False
        while self._batches:
            events = self._batches.popleft()
            if events:
                self._emitter.feed(events)
            else:
                self._emitter.stir()


class Channel:
    """Where the events of one service go: into its own ring, and to its peers in this process."""

    def __init__(self, emitter: Emitter) -> None:
        self.emitter = emitter
        self.inbox = Inbox(emitter)
        self.peers: list[Inbox] = []

    def publish(self, events: Sequence[Event]) -> None:
        """Hand committed events on; call it on the emitter's own loop."""
        self.emitter.feed(events)
        for peer in self.peers:
            peer.offer(events)

    def stir(self) -> None:
        """Let whoever looks for work look now, though no event tells of any."""
        self.emitter.stir()
        for peer in self.peers:
            peer.offer(())
