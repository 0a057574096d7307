"""One idempotency key, one instance: whoever asks, however often, and whatever else is asked."""

import asyncio
from collections.abc import Sequence

import pytest

from service import Context, Workflows
from service.bootstrap import Service
from service.domain.errors import IdempotencyConflict
from service.domain.instance import Status
from service.operations.workflows import Enqueued, EnqueueRequest
from tests.scale import scaled
from tests.scenarios.inside import ended, services
from tests.scenarios.notes import BEGAN, Notes, note


def registry(notes: Notes) -> Workflows:
    workflows = Workflows()

    @workflows.workflow
    async def ship(ctx: Context[None], order: int) -> int:
        note(notes.file, BEGAN, tag="ship", instance=ctx.instance_id)
        return order

    @workflows.workflow
    async def bill(ctx: Context[None], order: int) -> int:
        note(notes.file, BEGAN, tag="bill", instance=ctx.instance_id)
        return order

    return workflows


def request(name: str, order: object, key: str, queue: str | None = None) -> EnqueueRequest:
    return EnqueueRequest(name=name, params=order, queue=queue, idempotency_key=key)


async def test_bug_036_the_same_key_gives_the_same_instance(database: str, notes: Notes) -> None:
    async with services(database, registry(notes)) as (service,):
        replies = [await service.workflows.enqueue(request("ship", 1, "k")) for _ in range(3)]
        (instance_id,) = {reply.instance.id for reply in replies}
        assert [reply.created for reply in replies] == [True, False, False]
        await ended(service, instance_id)
        again = await service.workflows.enqueue(request("ship", 1, "k"))
        assert (again.created, again.instance.id) == (False, instance_id)
        assert again.instance.status is Status.COMPLETED
        assert notes.count(BEGAN) == 1


async def test_bug_038_and_040_every_answer_names_an_instance_that_can_be_read_at_once(
    database: str, notes: Notes
) -> None:
    async with services(database, registry(notes), 2) as both:

        async def ask(service: Service, other: Service, key: str) -> Enqueued:
            reply = await service.workflows.enqueue(request("ship", 1, key))
            found = await other.workflows.get(reply.instance.id)
            assert found is not None
            assert found.idempotency_key == key
            return reply

        async def play(key: str) -> None:
            asked = [ask(both[n % 2], both[(n + n // 2) % 2], key) for n in range(20)]
            replies: Sequence[Enqueued] = await asyncio.gather(*asked)
            assert len({reply.instance.id for reply in replies}) == 1
            assert [reply.created for reply in replies].count(True) == 1
            await ended(both[0], replies[0].instance.id)

        for number in range(scaled(5, 100)):
            await play(f"round {number}")
    assert set(notes.runs().values()) == {1}


async def test_bug_042_a_key_is_the_workflows_own_and_never_stands_for_other_params(
    database: str, notes: Notes
) -> None:
    async with services(database, registry(notes)) as (service,):
        enqueue = service.workflows.enqueue
        first = await enqueue(request("ship", 1, "k"))
        other = await enqueue(request("bill", 1, "k"))
        assert other.created
        elsewhere = await enqueue(request("ship", 1, "k", queue="express"))
        assert (elsewhere.created, elsewhere.instance.id) == (False, first.instance.id)
        assert elsewhere.instance.queue == "ship"
        with pytest.raises(IdempotencyConflict, match="other params"):
            await enqueue(request("ship", 2, "k"))
        with pytest.raises(IdempotencyConflict, match="other params"):
            await enqueue(request("bill", 2, "k"))
        shipped, billed = await ended(service, first.instance.id, other.instance.id)
        assert (shipped.input, billed.input) == ("1", "1")
        assert sorted(notes.tags(BEGAN)) == ["bill", "ship"]
