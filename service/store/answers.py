"""What a mutation did to an instance, and from where on it can be followed."""

from dataclasses import dataclass

from service.domain.cursor import encode
from service.domain.events import Event
from service.domain.instance import Instance


@dataclass(slots=True, kw_only=True)
class Answer:
    """An instance after a mutation. `event` tells of the change, if this one changed anything."""

    instance: Instance
    event: Event | None = None
    known_cursor: str | None = None

    @property
    def cursor(self) -> str:
        """Return the cursor of the event, or the instance's when nothing was changed."""
        if self.event is not None:
            return encode(self.event.position, self.event.mark)
        return self.known_cursor or self.instance.cursor
