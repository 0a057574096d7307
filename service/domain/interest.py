"""Which events a reader asks for."""

from typing import NamedTuple

from service.domain.events import Event, EventType


class Interest(NamedTuple):
    """A filter of events: all that is given must match, and what is None matches everything.

    Equal interests are one key, cheap to look up: readers that ask for the same share what was
    found.
    """

    instance_id: str | None = None
    name: str | None = None
    queue: str | None = None
    types: frozenset[EventType] | None = None

    def matches(self, event: Event) -> bool:
        """Return whether the event is asked for."""
        return (
            (self.instance_id is None or self.instance_id == event.instance_id)
            and (self.name is None or self.name == event.name)
            and (self.queue is None or self.queue == event.queue)
            and (self.types is None or event.type in self.types)
        )


EVERYTHING = Interest()
