"""Values that can't be kept: refused or failed at once, and never in anybody's way."""

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from service import Context, Retry, Workflows
from service.client import Client, Status, WorkflowFailed
from service.domain.events import EventType
from tests.scenarios.inside import Site, ended, enqueue, services, site, types
from tests.scenarios.notes import BEGAN, Notes, note

SERVICE = Path(__file__).parents[2] / "service"
SURROGATE = "\ud800"
AGAIN = Retry(max_attempts=3, base=timedelta(milliseconds=1))
READ = """query Q($id: ID!) { workflowInstance(instanceID: $id) {
  status lastError output failures { edges { node { errorType message } } }
} }"""
ENQUEUE = "mutation M($i: EnqueueInput!) { enqueue(input: $i) { instance { id status } } }"


async def read(page: Site, instance_id: str) -> Any:
    """Return an instance as the API shows it: strictly valid JSON in valid UTF-8."""
    body = json.dumps({"query": READ, "variables": {"id": instance_id}})
    text = (await page.post(body.encode())).content.decode("utf-8", "strict")
    return json.loads(text)["data"]["workflowInstance"]


async def test_bug_111_half_a_surrogate_pair_is_refused_or_fails_and_is_told_in_utf_8(
    database: str, notes: Notes
) -> None:
    workflows = Workflows()

    @workflows.workflow(retry=AGAIN)
    async def give(ctx: Context[None], words: Any) -> Any:
        note(notes.file, BEGAN, tag="give")
        return SURROGATE

    @workflows.workflow(retry=AGAIN)
    async def throw(ctx: Context[None], words: Any) -> None:
        note(notes.file, BEGAN, tag="throw")
        raise ValueError(SURROGATE)

    async with site(database, workflows) as page:
        given, thrown = await enqueue(page.service, "give"), await enqueue(page.service, "throw")
        await ended(page.service, given, thrown)
        shown = await read(page, given)
        assert (shown["status"], shown["output"]) == ("FAILED", None)
        assert "surrogate" in shown["lastError"]
        assert notes.count(BEGAN, "give") == 1  # no further attempt could mend it
        shown = await read(page, thrown)
        assert shown["status"] == "FAILED"
        assert shown["lastError"].startswith("ValueError")
        assert len(shown["failures"]["edges"]) == notes.count(BEGAN, "throw") == 3
        for text in (rb'"\ud800"', rb'{"a": ["\udfff"]}', rb'{"\ud800": 1}', rb'"\ud83d"'):
            body = b'{"query": %b, "variables": {"i": {"name": "give", "params": %b}}}'
            answer = await page.post(body % (json.dumps(ENQUEUE).encode(), text))
            (error,) = json.loads(answer.content.decode("utf-8", "strict"))["errors"]
            assert "surrogate" in error["message"], text
        whole = await page.data(ENQUEUE, i={"name": "give", "params": "\U0001f600"})
        assert whole["instance"]["status"] == "PENDING"


NESTED: list[Any] = []
NESTED.append(NESTED)

UNFIT: dict[str, Any] = {
    "an object": object(),
    "a function": len,
    "not a number": float("nan"),
    "infinity": [float("inf")],
    "bytes that are no text": b"\xff",
    "a list in itself": NESTED,
    "a long integer": 2**60,
    "text with NUL": {"a": "\0"},
    "too much": "x" * 2_000_000,
    "too deep": json.loads("[" * 500 + "]" * 500),
}


async def test_bug_113_a_result_that_can_not_be_kept_ends_the_instance_and_tells_who_waits(
    database: str, notes: Notes
) -> None:
    workflows = Workflows()

    @workflows.workflow(retry=AGAIN)
    async def give(ctx: Context[None], which: str) -> Any:
        note(notes.file, BEGAN, tag=which.replace(" ", "-"))
        return UNFIT[which]

    async with site(database, workflows) as page, Client(page.url) as client:
        handles = [await client.enqueue("give", which) for which in UNFIT]
        for handle in handles:
            with pytest.raises(WorkflowFailed):
                await handle.result(timeout=60)
            assert (await read(page, handle.id))["status"] == "FAILED"
    assert [notes.count(BEGAN, which.replace(" ", "-")) for which in UNFIT] == [1] * len(UNFIT)


@pytest.mark.parametrize(
    "text",
    [
        "NaN",
        "[Infinity]",
        "1e400",
        str(2**60),
        '"\\u0000"',
        '{"\\u0000": 1}',
        "[" * 500 + "]" * 500,
    ],
)
async def test_bug_113_an_input_that_can_not_be_kept_is_refused(database: str, text: str) -> None:
    workflows = Workflows()

    @workflows.workflow
    async def take(ctx: Context[None], words: Any) -> None: ...

    async with site(database, workflows) as page:
        body = b'{"query": %b, "variables": {"i": {"name": "take", "params": %b}}}'
        answer = (await page.post(body % (json.dumps(ENQUEUE).encode(), text.encode()))).json()
        assert answer["errors"][0]["extensions"]["code"]
        assert (await page.data("{ workflowInstances { edges { node { id } } } }"))["edges"] == []


async def test_bug_115_an_error_is_shown_by_a_process_that_lacks_its_class(
    database: str,
) -> None:
    workflows = Workflows()

    class Refused(Exception):
        def __init__(self, code: int, reason: str, retry_after: float) -> None:
            super().__init__(code, reason, retry_after)
            self.code = code

        def __str__(self) -> str:
            return f"refused with {self.code}"

    @workflows.workflow
    async def ask(ctx: Context[None], params: None) -> None:
        raise Refused(418, "teapot", 1.5)

    async with services(database, workflows) as (service,):
        instance_id = await enqueue(service, "ask")
        await ended(service, instance_id)
        assert (await types(service, instance_id))[-1] is EventType.FAILED
    async with site(database, Workflows()) as page, Client(page.url) as client:
        with pytest.raises(WorkflowFailed, match="refused with 418"):
            await (await client.handle(instance_id)).result(timeout=20)
        shown = await read(page, instance_id)
        assert shown["status"] == Status.FAILED
        (failure,) = shown["failures"]["edges"]
        assert failure["node"]["errorType"].endswith("Refused")
        assert failure["node"]["message"] == "refused with 418"
    unpickles = re.compile(r"\b(import|from) (pickle|marshal|shelve|dill)\b")
    assert [path for path in SERVICE.rglob("*.py") if unpickles.search(path.read_text())] == []
