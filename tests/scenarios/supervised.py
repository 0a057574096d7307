"""A worker that is started again as often as what it runs kills it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from service.domain.events import EventType
from service.domain.instance import Failure, Instance
from service.operations.page import Window
from tests.processes import Crew
from tests.scenarios.harsh import HARSH, apart, workflows
from tests.scenarios.inside import ended, enqueue, enqueue_many, observing, types
from tests.scenarios.notes import Notes

NORMAL = 100


@dataclass(frozen=True, slots=True)
class Survived:
    """What became of one that kills each time, of one now and then, and of those beside them."""

    notes: Notes
    deadly: Instance
    mixed: Instance
    mixed_events: Sequence[EventType]
    failures: Sequence[Failure]
    normal: Sequence[Instance]


def supervise(crew: Crew, notes: Notes) -> Survived:
    """Let it happen, and return what was seen."""
    return asyncio.run(_story(crew, notes))


async def _story(crew: Crew, notes: Notes) -> Survived:
    async with (
        observing(crew, workflows) as observer,
        observing(crew, apart) as other,
    ):
        file = notes.file
        deadly = await enqueue(observer, "deadly", {"file": file, "tag": "deadly"})
        mixed = await enqueue(other, "mixed", {"file": file, "tag": "mixed"})
        params = [{"file": file, "tag": "normal"}] * NORMAL
        normal = await enqueue_many(observer, "caught", params)
        waiting = asyncio.create_task(ended(observer, deadly, mixed, *normal, within=120))
        starts = [
            lambda: crew.worker(authors=f"{HARSH}:workflows", WORKFLOW_LEASE="1.2s"),
            lambda: crew.worker(authors=f"{HARSH}:apart"),
        ]
        workers = [start() for start in starts]
        while not waiting.done():
            for index, start in enumerate(starts):
                if not workers[index].running:
                    workers[index] = start()
            await asyncio.sleep(0.05)
        first, second, *rest = await waiting
        return Survived(
            notes=notes,
            deadly=first,
            mixed=second,
            mixed_events=await types(observer, mixed),
            failures=(await observer.workflows.failures(mixed, Window())).nodes,
            normal=rest,
        )
