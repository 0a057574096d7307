"""What the client sends, in the names of the schema."""

from collections.abc import Collection, Mapping, Sequence

from service.client.codec import encode
from service.client.models import Enqueue


def enqueue_input(item: Enqueue) -> Mapping[str, object]:
    """Return the `EnqueueInput` of the item."""
    return {
        "name": item.name,
        "params": encode(item.params),
        **given(
            queue=item.queue,
            priority=item.priority,
            idempotencyKey=item.idempotency_key,
            singletonKey=item.singleton_key,
            onConflict=item.on_conflict,
        ),
    }


def given(**values: object) -> Mapping[str, object]:
    """Return the values that were given: None is not."""
    return {key: value for key, value in values.items() if value is not None}


def listed(values: Collection[str] | None) -> Sequence[str] | None:
    """Return the values as a list that is the same for the same values."""
    return None if values is None else sorted(values)
