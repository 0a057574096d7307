"""What bad input gets: each refusal, over HTTP and over the WebSocket, with nothing changed."""

import time
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest

from service.domain import cursor
from service.store.retention import Prune
from tests.scenarios.raw import busy
from tests.web.conftest import Serve
from tests.web.running import Answer, Running

ENQUEUE = "mutation M($input: EnqueueInput!) { enqueue(input: $input) { created } }"
MANY = (
    "mutation M($input: EnqueueManyInput!) { enqueueMany(input: $input) { results { created } } }"
)
CANCEL = "mutation M($input: CancelInput!) { cancel(input: $input) { outcome } }"
RETRY = "mutation M($input: RetryInput!) { retry(input: $input) { cursor } }"
PAUSE = "mutation M($input: PauseQueueInput!) { pauseQueue(input: $input) { queue { name } } }"
LIST = """query Q($after: String, $first: Int, $last: Int) {
  workflowInstances(after: $after, first: $first, last: $last) { cursor }
}"""
FOLLOW = "subscription S($after: String) { workflowEvents(after: $after) { cursor } }"
WATCH = "subscription S($id: ID!) { workflowInstance(instanceID: $id) { status } }"
NOBODY = "01890000-0000-7000-8000-000000000000"

Ask = Callable[..., Awaitable[Answer]]


@pytest.fixture(params=["http", "websocket"])
def ask(request: pytest.FixtureRequest) -> Ask:
    """Asks a server over HTTP, or over the WebSocket; both have to give the same answer."""

    async def over_http(server: Running, document: str, **variables: Any) -> Answer:
        return server.ask(document, **variables)

    async def over_websocket(server: Running, document: str, **variables: Any) -> Answer:
        async with server.socket() as talk:
            await talk.subscribe("1", document, **variables)
            message = await talk.receive()
            assert message["id"] == "1"
            if message["type"] == "error":
                return {"errors": message["payload"]}
            assert await talk.receive() == {"id": "1", "type": "complete"}
            return cast("Answer", message["payload"])

    return over_http if request.param == "http" else over_websocket


def code_of(answer: Answer) -> str:
    """Return the code of the one error, which has to say something and show nothing of inside."""
    [error] = answer["errors"]
    assert len(error["message"]) > 10
    for inside in ("Traceback", "sqlite", "SELECT", "INSERT", "UPDATE", 'File "', "0x"):
        assert inside not in error["message"]
    return error["extensions"]["code"]


@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("UNKNOWN_WORKFLOW", {"name": "nothing-of-that-name"}),
        ("UNKNOWN_WORKFLOW", {"name": ""}),
        ("UNKNOWN_WORKFLOW", {"name": "x" * 10_000}),
        ("UNKNOWN_WORKFLOW", {"name": "echo\0"}),
        ("INVALID_PARAMS", {"name": "order", "params": {"cents": "many"}}),
        ("INVALID_PARAMS", {"name": "order"}),
        ("INVALID_PARAMS", {"name": "order", "params": {"cents": 1, "lines": [5]}}),
        ("INVALID_PARAMS", {"name": "echo", "params": 2**53}),
        ("INVALID_PARAMS", {"name": "echo", "params": 10**400}),
        ("INVALID_PARAMS", {"name": "echo", "params": "a\0b"}),
        ("INVALID_PARAMS", {"name": "echo", "params": {"a\0": 1}}),
        ("INVALID_PARAMS", {"name": "echo", "queue": ""}),
        ("INVALID_PARAMS", {"name": "echo", "queue": "q" * 201}),
        ("INVALID_PARAMS", {"name": "echo", "idempotencyKey": "k" * 201}),
        ("INVALID_PARAMS", {"name": "echo", "singletonKey": ""}),
        ("INVALID_PARAMS", {"name": "echo", "requestID": ""}),
        ("PAYLOAD_TOO_LARGE", {"name": "echo", "params": "x" * (1 << 20)}),
        ("BAD_USER_INPUT", {"name": "echo", "priority": 2**31}),
        ("BAD_USER_INPUT", {"name": "echo", "onConflict": "SOMETHING"}),
        ("BAD_USER_INPUT", {"name": "echo", "unknown": 1}),
        ("BAD_USER_INPUT", {"params": 1}),
    ],
)
async def test_an_enqueue_that_is_no_good(
    server: Running, ask: Ask, code: str, given: dict[str, Any]
) -> None:
    head = server.head
    assert code_of(await ask(server, ENQUEUE, input=given)) == code
    assert code_of(await ask(server, MANY, input={"items": [{"name": "echo"}, given]})) in {
        code,
        "INVALID_PARAMS",
    }
    assert server.head == head


async def test_a_literal_that_is_no_finite_number(server: Running, ask: Ask) -> None:
    document = 'mutation { enqueue(input: {name: "echo", params: [1, 1e999]}) { created } }'
    answer = await ask(server, document)
    assert code_of(answer) == "INVALID_PARAMS"
    assert answer["errors"][0]["extensions"]["faults"][0]["path"] == ["params", 1]


async def test_each_fault_of_the_params_is_told_with_its_path(server: Running, ask: Ask) -> None:
    params = {"cents": "many", "lines": ["a", 5]}
    answer = await ask(server, ENQUEUE, input={"name": "order", "params": params})
    faults = answer["errors"][0]["extensions"]["faults"]
    assert [fault["path"] for fault in faults] == [["params", "cents"], ["params", "lines", 1]]


async def test_a_key_that_stands_for_other_params(server: Running, ask: Ask) -> None:
    server.enqueue(params={"a": 1, "b": 2}, idempotencyKey="once")
    head = server.head
    other = {"name": "echo", "params": {"a": 2}, "idempotencyKey": "once"}
    assert code_of(await ask(server, ENQUEUE, input=other)) == "IDEMPOTENCY_CONFLICT"
    same = {"name": "echo", "params": {"b": 2, "a": 1}, "idempotencyKey": "once"}
    assert (await ask(server, ENQUEUE, input=same))["data"]["enqueue"] == {"created": False}
    assert server.head == head


async def test_a_singleton_that_lives(server: Running, ask: Ask) -> None:
    server.enqueue(singletonKey="one")
    head = server.head
    given = {"name": "echo", "singletonKey": "one", "onConflict": "REFUSE"}
    assert code_of(await ask(server, ENQUEUE, input=given)) == "SINGLETON_CONFLICT"
    assert server.head == head


@pytest.mark.parametrize("instance_id", [NOBODY, "", "x" * 10_000, "\0", "😀", "' OR 1=1 --"])
async def test_what_is_not_there(server: Running, ask: Ask, instance_id: str) -> None:
    head = server.head
    for document in (CANCEL, RETRY):
        answer = await ask(server, document, input={"instanceID": instance_id})
        assert code_of(answer) == "NOT_FOUND"
    found = "query Q($id: ID!) { workflowInstance(instanceID: $id) { id } }"
    assert await ask(server, found, id=instance_id) == {"data": {"workflowInstance": None}}
    assert server.head == head


async def test_a_queue_that_is_not_there(server: Running, ask: Ask) -> None:
    assert code_of(await ask(server, PAUSE, input={"name": "no such queue"})) == "NOT_FOUND"


async def test_a_retry_of_what_has_not_ended(server: Running, ask: Ask) -> None:
    living = server.enqueue()["instance"]["id"]
    head = server.head
    assert code_of(await ask(server, RETRY, input={"instanceID": living})) == "INVALID_STATE"
    assert server.head == head


async def test_a_request_id_that_was_used_for_something_else(server: Running, ask: Ask) -> None:
    server.enqueue(params=1, requestID="r1")
    head = server.head
    answer = await ask(server, ENQUEUE, input={"name": "echo", "params": 2, "requestID": "r1"})
    assert code_of(answer) in {"IDEMPOTENCY_CONFLICT", "INVALID_PARAMS"}
    assert server.head == head


@pytest.mark.parametrize("after", ["x", "TAAA", "=" * 5_000, "é", "\0", "SwAGYYXU2JnBMDFh!"])
async def test_a_list_cursor_that_is_none(server: Running, ask: Ask, after: str) -> None:
    assert code_of(await ask(server, LIST, after=after)) == "INVALID_CURSOR"


async def test_a_log_cursor_is_no_list_cursor(server: Running, ask: Ask) -> None:
    log = server.enqueue()["cursor"]
    assert code_of(await ask(server, LIST, after=log)) == "INVALID_CURSOR"


@pytest.mark.parametrize(
    ("window", "code"),
    [
        ({"first": 501}, "LIMIT_EXCEEDED"),
        ({"last": 501}, "LIMIT_EXCEEDED"),
        ({"first": -1}, "INVALID_PARAMS"),
        ({"first": 1, "last": 1}, "INVALID_PARAMS"),
    ],
)
async def test_a_page_that_can_not_be_given(
    server: Running, ask: Ask, window: dict[str, int], code: str
) -> None:
    assert code_of(await ask(server, LIST, **window)) == code


async def test_more_items_than_one_call_takes(server: Running, ask: Ask) -> None:
    head = server.head
    items = [{"name": "echo"}] * 1_001
    assert code_of(await ask(server, MANY, input={"items": items})) == "LIMIT_EXCEEDED"
    assert server.head == head


async def test_lists_inside_lists_have_a_bound_of_their_own(serve: Serve, ask: Ask) -> None:
    server = serve()
    server.enqueue_many(400)
    inner = "events { edges { node { instance { events { edges { cursor } } } } } }"
    document = "{ workflowInstances(first: 400) { edges { node { %s } } } }"
    many = " ".join(f"a{number}: {inner}" for number in range(40))
    start = time.monotonic()
    answer = await ask(server, document % many)
    assert time.monotonic() - start < 5
    assert code_of(answer) == "LIMIT_EXCEEDED"
    assert "errors" not in await ask(server, document % "events { edges { cursor } }")


@pytest.mark.parametrize(
    ("after", "code"),
    [
        ("nonsense", "INVALID_CURSOR"),
        (cursor.encode(10**9, 5), "INVALID_CURSOR"),
        (cursor.encode(1, 12345), "INVALID_CURSOR"),
        (cursor.encode(2**63 - 1, 2**32 - 1), "INVALID_CURSOR"),
    ],
)
async def test_a_log_cursor_that_is_none(server: Running, after: str, code: str) -> None:
    server.enqueue()
    async with server.socket() as talk:
        await talk.subscribe("1", FOLLOW, after=after)
        message = await talk.receive()
        assert (message["type"], code_of({"errors": message["payload"]})) == ("error", code)
        await talk.subscribe("1", "{ __typename }")
        assert await talk.next() == "Query"


async def test_a_list_cursor_is_no_log_cursor(server: Running) -> None:
    server.enqueue()
    listed = server.data("{ workflowInstances(first: 1) { pageInfo { endCursor } } }")
    async with server.socket() as talk:
        await talk.subscribe("1", FOLLOW, after=listed["pageInfo"]["endCursor"])
        assert code_of({"errors": (await talk.receive())["payload"]}) == "INVALID_CURSOR"


async def test_a_log_cursor_whose_events_were_pruned(serve: Serve, ask: Ask) -> None:
    server = serve()
    first = server.enqueue()
    server.enqueue_many(20)

    async def prune() -> None:
        await server.service.store.write(Prune(age=0, limit=1_000))

    server.on_loop(prune())
    async with server.socket() as talk:
        await talk.subscribe("1", FOLLOW, after=first["cursor"])
        message = await talk.receive()
        assert code_of({"errors": message["payload"]}) == "CURSOR_EXPIRED"
        await talk.subscribe("2", FOLLOW, after="")
        assert await talk.next("2")
    page = """query Q($id: ID!, $after: String) {
      workflowInstance(instanceID: $id) { events(after: $after) { edges { cursor } } }
    }"""
    answer = await ask(server, page, id=first["instance"]["id"], after=first["cursor"])
    assert code_of(answer) == "CURSOR_EXPIRED"


async def test_an_instance_to_follow_that_is_not_there(server: Running) -> None:
    async with server.socket() as talk:
        await talk.subscribe("1", WATCH, id=NOBODY)
        message = await talk.receive()
        assert (message["type"], code_of({"errors": message["payload"]})) == ("error", "NOT_FOUND")


async def test_a_database_that_does_not_answer(serve: Serve, ask: Ask, url: str) -> None:
    server = serve(busy_timeout="300ms")
    server.enqueue()
    head = server.head
    with busy(url):
        answer = await ask(server, ENQUEUE, input={"name": "echo", "requestID": "again"})
    assert code_of(answer) == "UNAVAILABLE"
    assert "maybeApplied" in answer["errors"][0]["extensions"]
    assert server.head == head
    again = await ask(server, ENQUEUE, input={"name": "echo", "requestID": "again"})
    assert again == {"data": {"enqueue": {"created": True}}}


async def test_a_fault_of_ours_is_masked(
    serve: Serve, ask: Ask, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    server = serve()

    async def broken(*_: object) -> None:
        raise LookupError("no such column: secret in SELECT secret FROM instances")

    monkeypatch.setattr(type(server.service.workflows), "get", broken)
    document = "query Q($id: ID!) { workflowInstance(instanceID: $id) { id } }"
    answer = await ask(server, document, id=NOBODY)
    assert code_of(answer) == "INTERNAL"
    extensions = answer["errors"][0]["extensions"]
    assert extensions["maybeApplied"] is True
    assert "secret" not in str(answer)
    assert extensions["errorID"] in caplog.text
    assert "SELECT secret" in caplog.text
