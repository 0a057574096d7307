"""Readers that have seen everything, indexed by what they wait for."""

import asyncio
from collections.abc import Sequence

from service.domain.events import Event
from service.domain.interest import Interest

_Place = tuple[str, str]

_ANY: _Place = ("", "")


class Waiters:
    """Parks readers, and wakes those whom an event concerns.

    An event looks under its instance, its name and its queue, and at those who take any: it never
    walks past the others. Readers that wait for the same are woken as one group.
    """

    def __init__(self) -> None:
        self.count = 0
        self._groups: dict[tuple[Interest, int], _Group] = {}
        self._index: dict[_Place, set[_Group]] = {}

    async def wait(self, interest: Interest, floor: int) -> int | None:
        """Return the position just before the first match after `floor`; None when all is over."""
        future: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        group = self._groups.get((interest, floor)) or self._open(interest, floor)
        group.futures.add(future)
        self.count += 1
        try:
            return await future
        finally:
            self.count -= 1
            group.futures.discard(future)
            if not group.futures:
                self._close(group)

    def wake(self, events: Sequence[Event]) -> None:
        """Wake whoever waits for one of the events, which are in order."""
        for event in events:
            if not self._groups:
                return
            for place in (
                ("instance", event.instance_id),
                ("name", event.name),
                ("queue", event.queue),
                _ANY,
            ):
                for group in [g for g in self._index.get(place, ()) if g.wants(event)]:
                    self._close(group)
                    group.wake(event.position - 1)

    def wake_all(self, head: int) -> None:
        """Wake everybody where they stand: at `head`, or further on if they came from there."""
        for group in list(self._groups.values()):
            self._close(group)
            group.wake(max(head, group.floor))

    def end_all(self) -> None:
        """Tell everybody that nothing will come any more."""
        for group in list(self._groups.values()):
            self._close(group)
            group.wake(None)

    def _open(self, interest: Interest, floor: int) -> "_Group":
        group = self._groups[interest, floor] = _Group(interest, floor)
        self._index.setdefault(group.place, set()).add(group)
        return group

    def _close(self, group: "_Group") -> None:
        if self._groups.get((group.interest, group.floor)) is not group:
            return
        del self._groups[group.interest, group.floor]
        neighbours = self._index[group.place]
        neighbours.discard(group)
        if not neighbours:
            del self._index[group.place]


class _Group:
    """The readers that wait for the same: what matches `interest` after `floor`.

    Each has a future of its own: one that is cancelled must not take the others along.
    """

    def __init__(self, interest: Interest, floor: int) -> None:
        self.interest = interest
        self.floor = floor
        self.futures: set[asyncio.Future[int | None]] = set()
        self.place = _place(interest)

    def wants(self, event: Event) -> bool:
        return event.position > self.floor and self.interest.matches(event)

    def wake(self, position: int | None) -> None:
        for future in self.futures:
            if not future.done():
                future.set_result(position)


def _place(interest: Interest) -> _Place:
    if interest.instance_id is not None:
        return "instance", interest.instance_id
    if interest.name is not None:
        return "name", interest.name
    if interest.queue is not None:
        return "queue", interest.queue
    return _ANY
