"""The latest events at contiguous positions, bounded by count and by bytes."""

from collections.abc import Iterator
from dataclasses import replace

from service.domain.events import Event
from service.domain.interest import EVERYTHING, Interest

Found = tuple[tuple[Event, ...], int]
"""Matching events in order, and the position up to which was searched."""

_SHARED = 64


class Ring:
    """Keeps the events from `oldest` to `head`, those of one instance chained backwards.

    The data of a large event is not kept: its entry only says that the log has it.
    """

    def __init__(self, max_events: int, max_bytes: int, max_size: int) -> None:
        self.head = 0
        self.oldest = 1
        self._max_events = max_events
        self._max_bytes = max_bytes
        self._max_size = max_size
        self._bytes = 0
        self._events: dict[int, Event] = {}
        self._earlier: dict[int, int] = {}
        self._latest: dict[str, int] = {}
        self._large: set[int] = set()
        self._answers: dict[tuple[int, Interest, int], Found] = {}

    def reset(self, head: int) -> None:
        """Forget every event; the next one to append stands at `head` + 1."""
        while self.oldest <= self.head:
            self._evict()
        self._answers.clear()
        self.head = head
        self.oldest = head + 1

    def append(self, event: Event) -> None:
        """Take the event, which must stand at `head` + 1; the oldest make room."""
        self._answers.clear()
        position = self.head = event.position
        size = event.size
        if size > self._max_size:
            event = replace(event, data=None, error=None)
            size = event.size
            self._large.add(position)
        self._events[position] = event
        self._earlier[position] = self._latest.get(event.instance_id, 0)
        self._latest[event.instance_id] = position
        self._bytes += size
        while self._bytes > self._max_bytes or len(self._events) > self._max_events:
            self._evict()

    def after(self, position: int, interest: Interest, limit: int) -> Found | None:
        """Return what matches after the position, at most `limit` events.

        None means that the log must be read: the position fell out, or the next match is large.
        Readers that ask for the same between two appends share one answer.
        """
        if position < self.oldest - 1:
            return None
        if position >= self.head:
            return (), position
        question = (position, interest, limit)
        found = self._answers.get(question)
        if found is None:
            found = self._search(position, interest, limit)
            if len(self._answers) >= _SHARED:
                self._answers.clear()
            self._answers[question] = found
        return found if found[1] > position else None

    def first(self, position: int, interest: Interest) -> int | None:
        """Return where the first match after the position stands, None if nothing here matches."""
        for event in self._matching(position, interest):
            return event.position
        return None

    def _search(self, position: int, interest: Interest, limit: int) -> Found:
        events: list[Event] = []
        for event in self._matching(position, interest):
            if event.position in self._large:
                return tuple(events), event.position - 1
            events.append(event)
            if len(events) == limit:
                return tuple(events), event.position
        return tuple(events), self.head

    def _matching(self, position: int, interest: Interest) -> Iterator[Event]:
        start = max(position + 1, self.oldest)
        if interest.instance_id is not None:
            return filter(interest.matches, self._of_instance(start, interest.instance_id))
        events = map(self._events.__getitem__, range(start, self.head + 1))
        return events if interest == EVERYTHING else filter(interest.matches, events)

    def _of_instance(self, start: int, instance_id: str) -> Iterator[Event]:
        backwards: list[Event] = []
        position = self._latest.get(instance_id, 0)
        while position >= start:
            backwards.append(self._events[position])
            position = self._earlier[position]
        return reversed(backwards)

    def _evict(self) -> None:
        position = self.oldest
        event = self._events.pop(position)
        del self._earlier[position]
        if self._latest[event.instance_id] == position:
            del self._latest[event.instance_id]
        self._large.discard(position)
        self._bytes -= event.size
        self.oldest += 1
