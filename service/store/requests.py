"""The identity of a mutation: repeated under the same id, it gives the first answer again.

An id that the caller chose is kept with its answer. One that the server made can't be repeated by
a caller, and is only written on the rows that it changed.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from service.domain.errors import IdempotencyConflict
from service.store.batch import Batch


@dataclass(frozen=True, slots=True)
class Request:
    """Who asks: the id, whether the caller chose it, and what it asks for, in short."""

    id: str
    kept: bool
    fingerprint: str

    @property
    def touches(self) -> tuple[object, ...]:
        """Return what two writes of one request have in common."""
        return (("request", self.id),) if self.kept else ()


def earlier_answer(batch: Batch, request: Request) -> Any:
    """Return what the request was answered before, or None; refuse an id used otherwise."""
    if not request.kept:
        return None
    row = batch.tx.one("find_request", (request.id,))
    if row is None:
        return None
    fingerprint, answer = row
    if fingerprint != request.fingerprint:
        raise IdempotencyConflict(
            f"The requestID {request.id!r} was used for another mutation. Make a new one for each "
            "mutation, and repeat one only with the same arguments."
        )
    return json.loads(answer)


def keep_answer(batch: Batch, request: Request, answer: Callable[[], Any]) -> None:
    """Keep the answer, asked for when every event has its position."""
    if request.kept:
        batch.after_log(
            lambda: batch.tx.run(
                "insert_request",
                [(request.id, request.fingerprint, json.dumps(answer()), batch.now)],
            )
        )
