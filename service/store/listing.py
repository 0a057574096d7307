"""Lists of instances.

A list is merged from strands: one for each combination of the names, queues and statuses asked
for, each an index range that yields its rows in the list's order. So no filter sorts what it
doesn't show.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import islice, product

from service.domain.cursor import Key
from service.domain.errors import LimitExceeded
from service.domain.instance import LIVE, Instance, Status
from service.domain.listing import InstanceFilter, Order
from service.domain.plain import can_be_kept
from service.store import records
from service.store.database import Transaction

_MOST_STRANDS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Rows of a list: `limit` of them after a key, or before one and then from the list's end."""

    limit: int
    after: Key | None = None
    before: Key | None = None
    backward: bool = False


def list_instances(tx: Transaction, wanted: InstanceFilter, stretch: Stretch) -> list[Instance]:
    """Return the rows of the stretch in the list's order; raises `LimitExceeded`."""
    newest_first = (wanted.order is Order.NEWEST_FIRST) != stretch.backward
    strands = [
        _strand(tx, wanted, stretch, choice, newest_first=newest_first)
        for choice in _choices(wanted)
    ]
    merged = merge(*strands, key=lambda row: (row.created_at, row.id), reverse=newest_first)
    rows = list(islice(merged, stretch.limit))
    return rows[::-1] if stretch.backward else rows


_Choice = tuple[str | None, str | None, bool | None, Status | None]
"""A name, a queue, whether the queue is another than the workflow's own, and a status."""


def _choices(wanted: InstanceFilter) -> list[_Choice]:
    keys = (wanted.idempotency_key, wanted.singleton_key)
    if not all(key is None or can_be_kept(key) for key in keys):
        return []
    names, queues = _texts(wanted.names), _texts(wanted.queues)
    statuses: Sequence[Status | None] = (
        [None] if wanted.statuses is None else sorted(set(wanted.statuses))
    )
    if len(names) * len(queues) * len(statuses) > _MOST_STRANDS:
        raise LimitExceeded(
            f"The filter combines {len(names)} names, {len(queues)} queues and {len(statuses)} "
            f"statuses, more than {_MOST_STRANDS} combinations: ask for fewer at a time."
        )
    return [
        (name, queue, other, status)
        for name, queue, status in product(names, queues, statuses)
        for other in ((None,) if queue is None or name is not None else (False, True))
    ]


def _texts(asked: Sequence[str] | None) -> Sequence[str | None]:
    return [None] if asked is None else sorted({text for text in asked if can_be_kept(text)})


def _strand(
    tx: Transaction,
    wanted: InstanceFilter,
    stretch: Stretch,
    choice: _Choice,
    *,
    newest_first: bool,
) -> Iterator[Instance]:
    parts = list(_conditions(wanted, stretch, choice))
    conditions = " AND ".join(tx.piece(name) for name, _ in parts) or "TRUE"
    order = tx.piece("list_newest_first" if newest_first else "list_oldest_first")
    text = (
        tx.piece("list_instances")
        .replace("{instance}", tx.piece("instance"))
        .replace("{conditions}", conditions)
        .replace("{order}", order)
    )
    params = [value for _, values in parts for value in values]
    return map(records.instance, tx.compose(text, (*params, stretch.limit)))


def _conditions(
    wanted: InstanceFilter, stretch: Stretch, choice: _Choice
) -> Iterator[tuple[str, tuple[object, ...]]]:
    """Yield the pieces that a strand's rows must meet, each with its params."""
    name, queue, other, status = choice
    equal: dict[str, object] = {
        "list_name": queue if other is False else name,
        "list_queue": queue,
        "list_status": status,
        "list_idempotency_key": wanted.idempotency_key,
        "list_singleton_key": wanted.singleton_key,
        "list_created_after": wanted.created_after,
        "list_created_before": wanted.created_before,
    }
    yield from ((piece, (value,)) for piece, value in equal.items() if value is not None)
    if other:
        yield "list_queue_other", ()
    # What the status implies is said in the words of the partial index that has such rows alone.
    if status in LIVE:
        yield "list_unended", ()
    elif status in (Status.FAILED, Status.CANCELLED):
        yield "list_unwell", ()
    onward, back = "list_older", "list_newer"
    if wanted.order is Order.OLDEST_FIRST:
        onward, back = back, onward
    for piece, key in ((onward, stretch.after), (back, stretch.before)):
        if key is not None:
            yield piece, (key.at, key.id)
