"""Text that no database keeps is asked for as any other that is not there, on each database."""

import pytest

from service.domain.cursor import decode
from service.domain.errors import InvalidParams, NotFound
from service.domain.interest import Interest
from service.domain.listing import InstanceFilter
from service.operations.page import Window
from tests.operations.authors import order
from tests.services import Process

UNKEPT = ["\0", "nobody\0", "half \ud83d"]


@pytest.fixture(params=UNKEPT, ids=["nul", "nul-at-the-end", "half-a-pair"])
def text(request: pytest.FixtureRequest) -> str:
    return request.param


async def test_nothing_has_such_an_id(process: Process, text: str) -> None:
    placed = await process.workflows.enqueue(order())
    known = placed.instance.id
    assert await process.workflows.get(text) is None
    found = await process.workflows.get_many([text, known, text])
    assert [each and each.id for each in found] == [None, known, None]
    assert (await process.workflows.failures(text, Window())).edges == []
    assert (await process.events.page(text, Window())).edges == []


async def test_nothing_with_such_an_id_is_changed(process: Process, text: str) -> None:
    for change in (process.workflows.cancel, process.workflows.retry):
        with pytest.raises(NotFound, match="No instance"):
            await change(text)
    assert process.fed == []


async def test_lists_find_nothing_by_it_and_everything_beside_it(
    process: Process, text: str
) -> None:
    placed = await process.workflows.enqueue(order())
    name, queue = placed.instance.name, placed.instance.queue
    head = await process.store.events.head()
    for wanted in (
        InstanceFilter(names=[text]),
        InstanceFilter(queues=[text]),
        InstanceFilter(idempotency_key=text),
        InstanceFilter(singleton_key=text),
    ):
        page = await process.workflows.list(wanted, Window())
        assert (page.edges, page.has_next) == ([], False)
        assert await process.store.events.resolve(decode(page.cursor)) == head.position
    both = InstanceFilter(names=[text, name], queues=[queue, text])
    page = await process.workflows.list(both, Window())
    assert [each.id for each in page.nodes] == [placed.instance.id]


async def test_a_search_of_the_log_finds_nothing_up_to_its_end(process: Process, text: str) -> None:
    await process.workflows.enqueue(order())
    for interest in (Interest(instance_id=text), Interest(name=text), Interest(queue=text)):
        assert await process.store.events.after(0, interest, 10) == ([], 1), interest


async def test_such_keys_names_and_identities_are_refused(process: Process, text: str) -> None:
    for given in ("queue", "idempotency_key", "singleton_key", "request_id"):
        with pytest.raises(InvalidParams):
            await process.workflows.enqueue(order(**{given: text}))
    with pytest.raises(InvalidParams):
        await process.queues.pause(text)
    assert process.fed == []
