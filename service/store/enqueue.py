"""New instances, and the keys that decide whether there is a new one at all."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from service.domain.errors import WorkflowError
from service.domain.instance import CancelOutcome, Launch, OnConflict
from service.store.batch import Batch, Write, attempt
from service.store.cancel import stop
from service.store.placing import Found, Placed, Verdict, find, insert
from service.store.reading import read
from service.store.requests import Request, earlier_answer, earlier_answers, keep_answer


@dataclass(slots=True, kw_only=True)
class Enqueue(Write[list[Placed]]):
    """Enqueue all of `launches`, or none of them."""

    rank = 40

    launches: Sequence[Launch]
    request: Request
    touches: Sequence[object] = ()

    def __post_init__(self) -> None:
        keys = [*self.request.touches]
        for launch in self.launches:
            if launch.idempotency_key is not None:
                keys.append(("idempotency", launch.name, launch.idempotency_key))
            if launch.singleton_key is not None:
                keys.append(("singleton", launch.name, launch.singleton_key))
        self.touches = keys

    @property
    def simple(self) -> bool:
        """Return whether each launch stands alone: no key comes twice, and nothing is replaced."""
        return not self.touches or (
            len(set(self.touches)) == len(self.touches) and not any(map(_replaces, self.launches))
        )

    @classmethod
    def foresee(cls, batch: Batch, writes: "Sequence[Enqueue]") -> None:
        """Hold the keys, and what stands under a key where it is to be replaced."""
        batch.hold(keys=[key for write in writes for key in write.touches])
        replaced = [
            (launch.name, launch.singleton_key)
            for write in writes
            if write.touches
            for launch in filter(_replaces, write.launches)
        ]
        for living in batch.tx.every("living_of_key", replaced):
            batch.hold(instances=[row[0] for row in living])

    @classmethod
    def perform(
        cls, batch: Batch, writes: "Sequence[Enqueue]"
    ) -> Sequence[list[Placed] | WorkflowError]:
        """Place those together that can't be in each other's way, the rest one after the other."""
        simple = [index for index, write in enumerate(writes) if write.simple]
        placed = _place_together(batch, [writes[index] for index in simple])
        answers = dict(zip(simple, placed, strict=True))
        for index, write in enumerate(writes):
            if index not in answers:
                answers[index] = attempt(batch, write)
        return [answers[index] for index in range(len(writes))]

    def apply(self, batch: Batch) -> list[Placed]:
        """Place one launch after the other; undo all of them when one is refused."""
        answer = earlier_answer(batch, self.request)
        if answer is not None:
            return _as_before(batch, answer)
        told = len(batch.events)
        try:
            with batch.tx.savepoint():
                placed = [self._place(batch, launch) for launch in self.launches]
        except WorkflowError:
            batch.forget(told)
            raise
        _keep(batch, self.request, placed)
        return placed

    def _place(self, batch: Batch, launch: Launch) -> Placed:
        (found,) = find(batch, [launch])
        if isinstance(found, WorkflowError):
            raise found
        if found is None:
            return insert(batch, [(launch, self.request.id)])[0]
        if not (found.living and _replaces(launch)):
            return Placed(instance=read(batch, found.id), created=False)
        living = batch.tx.all("living_of_key", (launch.name, launch.singleton_key))
        stops = stop(batch, [(row[0], self.request.id) for row in living])
        blocked = any(
            not isinstance(each, WorkflowError) and each[0] is CancelOutcome.REQUESTED
            for each in stops
        )
        return insert(batch, [(launch, self.request.id)], blocked=blocked)[0]


_Answers = list[list[Placed] | WorkflowError]


def _place_together(batch: Batch, writes: Sequence[Enqueue]) -> _Answers:
    """Place all launches of each write, or none of its."""
    earlier = earlier_answers(batch, [write.request for write in writes])
    fresh = [index for index, answer in enumerate(earlier) if answer is None]
    found = iter(find(batch, [launch for index in fresh for launch in writes[index].launches]))
    refused: dict[int, WorkflowError] = {}
    accepted: list[tuple[int, Launch, Verdict]] = []
    for index in fresh:
        launches = writes[index].launches
        verdicts = [next(found) for _ in launches]
        refusal = next((each for each in verdicts if isinstance(each, WorkflowError)), None)
        if refusal is None:
            accepted.extend(zip([index] * len(launches), launches, verdicts, strict=True))
        else:
            refused[index] = refusal
    new = [(launch, writes[index].request.id) for index, launch, each in accepted if each is None]
    inserted = iter(insert(batch, new))
    placed: dict[int, list[Placed]] = {index: [] for index in fresh if index not in refused}
    for index, _, each in accepted:
        known = isinstance(each, Found)
        placed[index].append(
            Placed(instance=read(batch, each.id), created=False) if known else next(inserted)
        )
    for index, group in placed.items():
        _keep(batch, writes[index].request, group)
    return [
        refused.get(index) or placed.get(index) or _again(batch, earlier[index])
        for index in range(len(writes))
    ]


def _again(batch: Batch, answer: Any) -> list[Placed] | WorkflowError:
    return answer if isinstance(answer, WorkflowError) else _as_before(batch, answer or ())


def _as_before(batch: Batch, answer: Sequence[Any]) -> list[Placed]:
    return [
        Placed(instance=read(batch, instance_id), created=created, known_cursor=cursor)
        for instance_id, created, cursor in answer
    ]


def _keep(batch: Batch, request: Request, placed: Sequence[Placed]) -> None:
    keep_answer(batch, request, lambda: [[p.instance.id, p.created, p.cursor] for p in placed])


def _replaces(launch: Launch) -> bool:
    return launch.singleton_key is not None and launch.on_conflict is OnConflict.REPLACE
