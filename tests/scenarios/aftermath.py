"""One worker is killed in the midst of its work, and another one is started at once."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from service.domain.events import Event
from service.domain.instance import Instance
from tests.processes import Crew, until
from tests.scenarios.harsh import HARSH, workflows
from tests.scenarios.inside import ended, enqueue, history, observing
from tests.scenarios.notes import BEGAN, Note, Notes
from tests.scenarios.raw import rows

LEASE = 3.0
TREK, ORPHAN, FIRST, NEXT = "trek", "orphan", "first-in-lane", "next-in-lane"
HELD = (TREK, ORPHAN, FIRST)


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one instance. `leases` are the ends of its first lease that were ever seen."""

    instance: Instance
    events: Sequence[Event]
    leases: set[int]


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What the handlers wrote down, and the fate of each instance by its tag."""

    notes: Sequence[Note]
    fates: dict[str, Fate]

    def words(self, tag: str) -> list[str]:
        """Return what happened to one."""
        return [each.word for each in self.notes if each.tag == tag]


def kill_and_start(crew: Crew, notes: Notes) -> Aftermath:
    """Let it happen, and return what was seen."""
    return asyncio.run(_story(crew, notes))


async def _story(crew: Crew, notes: Notes) -> Aftermath:
    crew.sets(WORKFLOW_LEASE=f"{LEASE:g}s")
    victim = crew.worker(authors=HARSH)
    crew.ready()
    async with observing(crew, workflows) as observer:
        ids: dict[str, str] = {}
        for tag in (*HELD, NEXT):
            name, queue = (
                ("trek", None) if tag == TREK else ("caught", "one" if "lane" in tag else None)
            )
            params = {"file": notes.file, "tag": tag, "seconds": 0 if tag == NEXT else 600}
            ids[tag] = await enqueue(observer, name, params, queue=queue)
        await until(lambda: len(notes.tags(BEGAN)) == 2 and "crossed" in notes.words(TREK))
        victim.kill()
        leases = {tag: {_lease(crew, ids[tag])} for tag in HELD}
        crew.worker(authors=HARSH)
        waiting = asyncio.create_task(ended(observer, *ids.values()))
        while not waiting.done():
            for tag in HELD:
                leases[tag].add(_lease(crew, ids[tag]))
            await asyncio.sleep(0.05)
        fates = {
            tag: Fate(instance, await history(observer, ids[tag]), leases.get(tag, {0}) - {0})
            for tag, instance in zip(ids, await waiting, strict=True)
        }
    return Aftermath(notes.all(), fates)


def _lease(crew: Crew, instance_id: str) -> int:
    """Return when the first lease of an instance ends, or 0 when that is over."""
    query = "SELECT lease_until FROM instances WHERE id = ? AND fence = 1"
    found = rows(crew.database, query, instance_id)
    return found[0][0] or 0 if found else 0
