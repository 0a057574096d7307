"""Positions and counts past 2^31 are as good as small ones."""

import pytest

from service import Context, Workflows
from service.domain.queue import QueueView
from tests.scenarios.history import position
from tests.scenarios.inside import ended, enqueue, services, site
from tests.scenarios.raw import alter

BORDER = 2**31
FOLLOW = "subscription S($after: String) { workflowEvents(after: $after) { cursor type } }"
READ = """query Q($id: ID!, $after: String) { workflowInstance(instanceID: $id) {
  cursor events(after: $after) { edges { cursor node { type } } pageInfo { hasNextPage } }
} }"""


async def test_bug_187_a_log_goes_on_past_two_to_the_31(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Delays past 2^31 ms are left for when an enqueue can have one.
    workflows = Workflows()

    @workflows.workflow
    async def run(ctx: Context[None], params: None) -> None: ...

    async with services(database, workflows, worker=False):
        pass  # the log is there
    alter(database, "UPDATE log SET head = ?, pruned = ?", BORDER - 2, BORDER - 2)
    async with site(database, workflows) as page, page.talk() as talk:
        await talk.subscribe("from the start", FOLLOW, after="")
        seen = []
        first = await enqueue(page.service, "run")
        seen += [await talk.next("from the start") for _ in range(3)]
        await ended(page.service, first)
        assert [position(each["cursor"]) for each in seen] == [BORDER - 1, BORDER, BORDER + 1]
        kinds = ["ENQUEUED", "STARTED", "COMPLETED"]
        assert [each["type"] for each in seen] == kinds
        for index, start in enumerate(each["cursor"] for each in seen):
            found = await page.data(READ, id=first, after=start)
            assert found["cursor"] == seen[-1]["cursor"]
            edges = found["events"]["edges"]
            assert [edge["cursor"] for edge in edges] == [
                each["cursor"] for each in seen[index + 1 :]
            ]
            key = f"from {index}"
            await talk.subscribe(key, FOLLOW, after=start)
            for expected in seen[index + 1 :]:
                assert await talk.next(key) == expected

        async def many() -> list[QueueView]:
            return [
                QueueView(
                    name="run",
                    pending=BORDER + 5,
                    running=2**40,
                    waiting=0,
                    oldest_wait_seconds=1e10,
                    concurrency=None,
                    rate=None,
                    tokens_left=None,
                    paused=False,
                )
            ]

        monkeypatch.setattr(page.service.queues, "list", many)
        (queue,) = await page.data("{ queues { pending running oldestWaitSeconds } }")
        assert queue == {"pending": BORDER + 5, "running": 2**40, "oldestWaitSeconds": 1e10}
