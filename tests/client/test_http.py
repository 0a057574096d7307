import math
from datetime import timedelta

import pytest

from service.client import Client, ConnectionFailed, Enqueue, RequestRefused, UnexpectedAnswer
from tests.client.scripted import INSTANCE, answering

SOON = timedelta(seconds=1)
ENQUEUED = {"data": {"answer": {"instance": INSTANCE, "created": True, "cursor": "c1"}}}


def refused(code: str) -> object:
    return {"data": None, "errors": [{"message": "No.", "extensions": {"code": code}}]}


async def test_an_enqueue_whose_answer_was_lost_is_sent_again_as_the_same_request() -> None:
    replies = None, (503, "busy"), (200, refused("UNAVAILABLE")), (200, ENQUEUED)
    async with answering(*replies) as script, Client(script.url, patience=SOON * 9) as client:
        handle = await client.enqueue("order", {"a": 1}, priority=3)
    assert (handle.id, handle.created, handle.cursor) == ("i1", True, "c1")
    ids = {asked["variables"]["input"]["requestID"] for asked in script.asked}
    assert (len(script.asked), len(ids)) == (4, 1)
    assert script.asked[0]["variables"]["input"] == {
        "name": "order",
        "params": {"a": 1},
        "priority": 3,
        "onConflict": "RETURN",
        "requestID": ids.pop(),
    }


async def test_each_request_has_an_id_of_its_own() -> None:
    async with answering((200, ENQUEUED)) as script, Client(script.url) as client:
        await client.enqueue("order")
        await client.enqueue("order")
        await client.enqueue("order", request_id="mine")
    first, second, third = (asked["variables"]["input"]["requestID"] for asked in script.asked)
    assert first != second
    assert third == "mine"


async def test_gives_up_with_the_request_id_to_go_on_with() -> None:
    async with answering(None) as script, Client(script.url, patience=SOON) as client:
        with pytest.raises(ConnectionFailed) as caught:
            await client.enqueue("order")
    assert caught.value.request_id == script.asked[0]["variables"]["input"]["requestID"]
    assert str(caught.value.request_id) in str(caught.value)
    assert len(script.asked) > 1


async def test_a_server_that_is_not_there_is_told_of_with_its_address() -> None:
    async with Client("http://127.0.0.1:9/graphql", patience=SOON / 10) as client:
        with pytest.raises(ConnectionFailed, match=r"from http://127\.0\.0\.1:9/graphql"):
            await client.ping()


async def test_a_refusal_is_not_asked_again() -> None:
    async with answering((200, refused("NOT_FOUND"))) as script, Client(script.url) as client:
        with pytest.raises(RequestRefused) as caught:
            await client.cancel("i1")
    assert caught.value.code == "NOT_FOUND"
    assert len(script.asked) == 1


async def test_an_outage_that_lasts_is_told_as_the_server_told_it() -> None:
    reply = 200, refused("UNAVAILABLE")
    async with answering(reply) as script, Client(script.url, patience=SOON / 2) as client:
        with pytest.raises(RequestRefused, match="UNAVAILABLE"):
            await client.retry("i1")
    assert len(script.asked) > 1


@pytest.mark.parametrize(("status", "code"), [(401, "UNAUTHENTICATED"), (403, "FORBIDDEN")])
async def test_a_bare_status_may_refuse(status: int, code: str) -> None:
    async with answering((status, "no")) as script, Client(script.url) as client:
        with pytest.raises(RequestRefused, match=code):
            await client.ping()


@pytest.mark.parametrize("reply", [(404, "<html>"), (200, "<html>"), (200, "[]"), (500, "oops")])
async def test_another_server_is_told_apart(reply: tuple[int, str]) -> None:
    async with answering(reply) as script, Client(script.url) as client:
        with pytest.raises(UnexpectedAnswer, match="/graphql by default"):
            await client.ping()


@pytest.mark.parametrize("url", ["", "nonsense", "ws://host/graphql", "http://", "http://[::1"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="is no address: write one such as"):
        Client(url)


async def test_shows_its_token_and_nobody_else() -> None:
    async with answering((200, ENQUEUED)) as script, Client(script.url, "secret") as client:
        await client.enqueue("order")
    assert "Bearer secret" in script.headers[0]


async def test_numbers_that_json_has_not_are_refused_here() -> None:
    async with answering((200, ENQUEUED)) as script, Client(script.url) as client:
        with pytest.raises(RequestRefused, match="INVALID_PARAMS"):
            await client.enqueue("order", {"a": math.inf})
    assert script.asked == []


async def test_many_go_as_one_request() -> None:
    one = {"instance": INSTANCE, "created": True, "cursor": "c1"}
    reply = 200, {"data": {"answer": {"results": [one, one]}}}
    async with answering(reply) as script, Client(script.url) as client:
        handles = await client.enqueue_many([Enqueue(name="a"), Enqueue(name="b", params=1)])
    assert [handle.cursor for handle in handles] == ["c1", "c1"]
    sent = script.asked[0]["variables"]["input"]
    assert [item["name"] for item in sent["items"]] == ["a", "b"]
    assert sent["requestID"]


async def test_a_list_is_read_page_by_page() -> None:
    def page(*ids: str, end: str | None) -> tuple[int, object]:
        edges = [{"node": {**INSTANCE, "id": each}} for each in ids]
        info = {"hasNextPage": end is not None, "endCursor": end}
        return 200, {"data": {"page": {"edges": edges, "pageInfo": info}}}

    async with (
        answering(page("a", "b", end="x"), page("c", end=None)) as script,
        Client(script.url) as client,
    ):
        assert [instance.id async for instance in client.list(names=["order"])] == ["a", "b", "c"]
    assert [asked["variables"]["after"] for asked in script.asked] == [None, "x"]
    assert script.asked[0]["variables"]["filter"] == {"names": ["order"]}


async def test_what_is_not_there_has_no_history() -> None:
    async with answering((200, {"data": {"owner": None}})) as script, Client(script.url) as client:
        assert [event async for event in client.history("i1")] == []
        assert [failure async for failure in client.failures("i1")] == []
