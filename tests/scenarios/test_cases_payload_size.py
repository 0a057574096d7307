"""Payloads of every size up to the limit pass; above it the answer says so."""

import asyncio
import json

import pytest

from service import Context, Workflows
from service.domain.errors import PayloadTooLarge
from service.domain.events import Event, EventType
from service.domain.instance import Status
from service.domain.interest import Interest
from tests.scenarios.inside import ended, enqueue, enqueue_many, services, site

LIMIT = 1 << 20
"""The documented limit of an input, a state and an output, in bytes of JSON."""

SIZES = (7_900, 8_100, LIMIT)
"""Among them what is just below and just above PostgreSQL's largest notification."""


def text(size: int) -> str:
    """Return text that is so long as JSON."""
    return "x" * (size - 2)


def registry() -> Workflows:
    workflows = Workflows()

    @workflows.workflow
    async def echo(ctx: Context[None], words: str) -> str:
        return words

    @workflows.workflow
    async def swell(ctx: Context[None], size: int) -> str:
        return text(size)

    return workflows


async def test_bug_117_what_is_within_the_limit_passes_at_once_and_in_hundreds(
    database: str,
) -> None:
    async with services(database, registry(), 2) as (one, other):
        wanted = Interest(types=frozenset({EventType.COMPLETED}))
        told: list[Event] = []

        async def follow() -> None:
            async for event in other.events.follow(wanted, ""):
                told.append(event)  # noqa: PERF401 - each as it comes

        following = asyncio.create_task(follow())
        ids = [await enqueue(one, "echo", text(size)) for size in SIZES]
        many = await enqueue_many(one, "echo", [text(SIZES[0]), text(SIZES[1])] * 300)
        for instance, size in zip(await ended(one, *ids), SIZES, strict=True):
            assert (instance.status, instance.output) == (
                Status.COMPLETED,
                json.dumps(text(size)),
            )
        for instance in await ended(other, *many):
            assert instance.output == instance.input
        async with asyncio.timeout(20):
            while len(told) < len(ids) + len(many):
                await asyncio.sleep(0.01)
        following.cancel()
        assert {event.instance_id for event in told} == {*ids, *many}


async def test_bug_117_what_is_above_the_limit_is_refused_or_fails_and_says_so(
    database: str,
) -> None:
    async with site(database, registry()) as page:
        with pytest.raises(PayloadTooLarge, match="payload_limit"):
            await enqueue(page.service, "echo", text(LIMIT + 1))
        query = "mutation M($i: EnqueueInput!) { enqueue(input: $i) { created } }"
        for size, words in ((LIMIT + 1, "payload_limit"), (20_000_000, "body_limit")):
            variables = {"i": {"name": "echo", "params": text(size)}}
            body = json.dumps({"query": query, "variables": variables}).encode()
            answer = await page.post(body)
            (error,) = answer.json()["errors"]
            assert words in error["message"], error
        (failed,) = await ended(page.service, await enqueue(page.service, "swell", LIMIT + 1))
        assert failed.status is Status.FAILED
        assert "payload_limit" in (failed.last_error or "")
        found = await page.data("{ workflowInstances { edges { node { id } } } }")
        assert [edge["node"]["id"] for edge in found["edges"]] == [failed.id]
