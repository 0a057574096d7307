"""Names and keys of any script come back exactly, or are refused; filters take them literally."""

import json
from typing import Any

import pytest

from service import Context, DefinitionError, Workflows
from tests.scenarios.inside import Site, site

KEPT = [
    "plain",
    "emoji 😀👩‍👩‍👧",
    "עברית \u202e right to left",
    "e\u0301 decomposed",
    "\u00e9 decomposed",
    "quotes ' \" ` and ; -- */",
    "line\nbreak\r\n\tand tab",
    "100%",
    "100x",
    "under_score",
    "underxscore",
    "%",
    "_",
    "\\",
    "\\%",
    " blanks around ",
    "CASE",
    "case",
    "a/b?c=d&e#f",
    "<script>alert(1)</script>",
    "{}",
    "x" * 200,
    "😀" * 200,
]
REFUSED = ["", " ", "\t\n", "\u2003", "x" * 201, "x" * 10_000, "nul\0", "half \ud800"]
FIELDS = ("queue", "idempotencyKey", "singletonKey")

ENQUEUE = """mutation M($i: EnqueueInput!) { enqueue(input: $i) {
  created instance { id name queue idempotencyKey singletonKey }
} }"""
LIST = """query Q($f: WorkflowInstanceFilter) { workflowInstances(filter: $f) {
  edges { node { id } }
} }"""
FOLLOW = """subscription S($queue: String, $name: String, $after: String) {
  workflowEvents(queue: $queue, name: $name, after: $after) { type instanceID name queue }
}"""


async def listed(page: Site, **wanted: Any) -> list[str]:
    found = await page.data(LIST, f=wanted)
    return [edge["node"]["id"] for edge in found["edges"]]


async def test_bug_191_names_come_back_exactly_and_are_taken_literally(database: str) -> None:
    # There are no tags, and no page that has a name in its address.
    workflows = Workflows()
    for name in KEPT:

        @workflows.workflow(name=name)
        async def run(ctx: Context[None], params: None) -> None: ...

    async with site(database, workflows, worker=False) as page:
        made: dict[str, str] = {}
        for name in KEPT:
            given = {"name": name, **dict.fromkeys(FIELDS, name)}
            answer = await page.data(ENQUEUE, i=given)
            assert answer["created"] is True
            assert {**answer["instance"], "id": ""} == {"id": "", **given}
            made[name] = answer["instance"]["id"]
        assert len(set(made.values())) == len(KEPT)
        for name, instance_id in made.items():
            assert await listed(page, names=[name]) == [instance_id]
            assert await listed(page, queues=[name]) == [instance_id]
            assert await listed(page, idempotencyKey=name) == [instance_id]
            assert await listed(page, singletonKey=name) == [instance_id]
        async with page.talk() as talk:
            for name, instance_id in made.items():
                await talk.subscribe(name, FOLLOW, queue=name, name=name, after="")
                event = await talk.next(name)
                assert event == {
                    "type": "ENQUEUED",
                    "instanceID": instance_id,
                    "name": name,
                    "queue": name,
                }
                await talk.send(id=name, type="complete")
        queues = await page.data("{ queues { name pending } }")
        assert {each["name"]: each["pending"] for each in queues} == dict.fromkeys(KEPT, 1)
        assert {each["name"] for each in await page.data("{ workflows { name } }")} == set(KEPT)


async def test_bug_191_what_can_be_no_name_is_refused_and_changes_nothing(database: str) -> None:
    workflows = Workflows()

    @workflows.workflow
    async def run(ctx: Context[None], params: None) -> None: ...

    async with site(database, workflows, worker=False) as page:
        for name in REFUSED:
            with pytest.raises(DefinitionError):
                workflows.workflow(name=name)(run.function)
            for field in FIELDS:
                variables = {"i": {"name": "run", field: name}}
                body = json.dumps({"query": ENQUEUE, "variables": variables})
                answer = (await page.post(body.encode())).json()
                (error,) = answer["errors"]
                assert error["extensions"]["code"] in ("INVALID_PARAMS", "BAD_REQUEST"), name
        assert await listed(page) == []
