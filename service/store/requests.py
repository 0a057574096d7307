"""The identity of a mutation: repeated under the same id, it gives the first answer again.

An id that the caller chose is kept with its answer. One that the server made can't be repeated by
a caller, and is only written on the rows that it changed.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from service.domain.errors import IdempotencyConflict, WorkflowError
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


def earlier_answers(batch: Batch, requests: Sequence[Request]) -> list[Any]:
    """Return what each was answered before, or None, or the refusal of an id used otherwise."""
    kept = [index for index, request in enumerate(requests) if request.kept]
    answers: list[Any] = [None] * len(requests)
    rows = batch.tx.many("find_request", [(requests[index].id,) for index in kept])
    for index, row in zip(kept, rows, strict=True):
        if row is not None:
            answers[index] = _answer(requests[index], *row)
    return answers


def earlier_answer(batch: Batch, request: Request) -> Any:
    """Return what the request was answered before, or None; refuse an id used otherwise."""
    (answer,) = earlier_answers(batch, [request])
    if isinstance(answer, WorkflowError):
        raise answer
    return answer


def keep_answer(batch: Batch, request: Request, answer: Callable[[], Any]) -> None:
    """Keep the answer, asked for when every event has its position."""
    if request.kept:
        batch.after_log(
            lambda: batch.tx.run(
                "insert_request",
                [(request.id, request.fingerprint, json.dumps(answer()), batch.now)],
            )
        )


def _answer(request: Request, fingerprint: str, answer: str) -> Any:
    if fingerprint == request.fingerprint:
        return json.loads(answer)
    return IdempotencyConflict(
        f"The requestID {request.id!r} was used for another mutation. Make a new one for each "
        "mutation, and repeat one only with the same arguments."
    )
