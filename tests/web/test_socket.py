"""graphql-transport-ws, message by message."""

import asyncio
import json
from typing import Any

import pytest
from websockets import Subprotocol
from websockets.exceptions import InvalidStatus

from service.web import socket
from tests.web.conftest import Serve
from tests.web.running import Running

FOLLOW = "subscription { workflowEvents { cursor } }"
OLD_PROTOCOL = Subprotocol("graphql-ws")


async def test_a_query_over_the_socket_is_answered_once(server: Running) -> None:
    async with server.socket() as talk:
        await talk.subscribe("a", "{ __typename }")
        assert await talk.receive() == {
            "id": "a",
            "type": "next",
            "payload": {"data": {"__typename": "Query"}},
        }
        assert await talk.receive() == {"id": "a", "type": "complete"}


async def test_a_mutation_over_the_socket_is_done(server: Running) -> None:
    document = "mutation M($i: EnqueueInput!) { enqueue(input: $i) { created } }"
    async with server.socket() as talk:
        await talk.subscribe("a", document, i={"name": "echo"})
        assert await talk.next("a") == {"created": True}


async def test_a_ping_is_answered_with_what_it_carries(server: Running) -> None:
    async with server.socket(ready=False) as talk:
        await talk.send(type="ping", payload={"n": 1})
        assert await talk.receive() == {"type": "pong", "payload": {"n": 1}}
        await talk.send(type="pong")
        await talk.init()


async def test_only_the_new_protocol_is_spoken(server: Running) -> None:
    for offered in ([OLD_PROTOCOL], None):
        async with server.socket(ready=False, subprotocols=offered) as talk:
            assert await talk.closed() == 4406


async def test_both_protocols_offered_is_the_new_one(server: Running) -> None:
    offered = [OLD_PROTOCOL, Subprotocol("graphql-transport-ws")]
    async with server.socket(subprotocols=offered) as talk:
        assert talk.connection.subprotocol == "graphql-transport-ws"


async def test_the_old_protocols_messages_get_nothing(server: Running) -> None:
    async with server.socket(ready=False) as talk:
        await talk.send(type="start", id="1", payload={"query": FOLLOW})
        assert await talk.closed() == 4400


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"type": "subscribe", "id": "1", "payload": {"query": FOLLOW}}, 4401),
        ({"type": "connection_init", "payload": "x"}, 4400),
        ({"type": "connection_init", "payload": [1]}, 4400),
        ({"type": "complete"}, 4400),
    ],
)
async def test_what_may_not_come_first(server: Running, message: Any, code: int) -> None:
    async with server.socket(ready=False) as talk:
        await talk.send(**message)
        assert await talk.closed() == code


@pytest.mark.parametrize("payload", [None, {}, {"Authorization": "x"}])
async def test_the_first_message_may_carry_an_object(server: Running, payload: Any) -> None:
    async with server.socket(ready=False) as talk:
        await talk.send(type="connection_init", payload=payload)
        assert await talk.receive() == {"type": "connection_ack"}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", 4400),
        ("x", 4400),
        ("1", 4400),
        ("null", 4400),
        ("[]", 4400),
        ("{}", 4400),
        ("[" * 100_000, 4400),
        ('{"type": 1}', 4400),
        ('{"type": "nonsense"}', 4400),
        ('{"type": "ping", "payload": NaN}', 4400),
        ('{"type": "subscribe"}', 4400),
        ('{"type": "subscribe", "id": ""}', 4400),
        ('{"type": "subscribe", "id": 1, "payload": {"query": "{__typename}"}}', 4400),
        ('{"type": "complete", "id": 7}', 4400),
        ('{"type": "connection_init"}', 4429),
    ],
)
async def test_a_message_that_is_none_ends_the_socket(
    server: Running, text: str, code: int
) -> None:
    async with server.socket() as talk:
        await talk.connection.send(text)
        assert await talk.closed() == code


async def test_bytes_are_no_message(server: Running) -> None:
    async with server.socket() as talk:
        await talk.connection.send(b"{}")
        assert await talk.closed() == 4400


async def test_a_message_above_the_limit_ends_the_socket(serve: Serve) -> None:
    server = serve(body_limit=20_000, payload_limit=10_000)
    async with server.socket() as talk:
        await talk.subscribe("1", "{ __typename }" + " " * 30_000)
        assert await talk.closed() == 1009


async def test_silence_ends_the_socket(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "INIT_SECONDS", 0.05)
    async with server.socket(ready=False) as talk:
        assert await talk.closed() == 4408


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ({}, "BAD_REQUEST"),
        (None, "BAD_REQUEST"),
        ({"query": ""}, "BAD_REQUEST"),
        ({"query": "{"}, "GRAPHQL_PARSE_FAILED"),
        ({"query": "{ nope }"}, "GRAPHQL_VALIDATION_FAILED"),
        ({"query": "{ __typename }", "variables": []}, "BAD_REQUEST"),
        ({"query": "query A {__typename} query B {__typename}"}, "OPERATION_RESOLUTION_FAILURE"),
        (
            {"query": "query Q($n: Int!) {workflowInstances(first: $n) {cursor}}"},
            "BAD_USER_INPUT",
        ),
        ({"query": "{" + "__typename " * 5_000 + "}"}, "LIMIT_EXCEEDED"),
    ],
)
async def test_an_operations_error_ends_the_operation_and_not_the_socket(
    server: Running, payload: Any, code: str
) -> None:
    async with server.socket() as talk:
        await talk.subscribe("other", FOLLOW)
        await talk.send(id="1", type="subscribe", payload=payload)
        message = await talk.receive()
        assert (message["id"], message["type"]) == ("1", "error")
        assert message["payload"][0]["extensions"]["code"] == code
        await talk.subscribe("1", "{ __typename }")
        assert await talk.next() == "Query"


@pytest.mark.parametrize("value", ["NaN", '"\\ud800"'])
async def test_what_json_can_not_hold_ends_the_operation(server: Running, value: str) -> None:
    async with server.socket() as talk:
        await talk.connection.send(
            '{"id": "1", "type": "subscribe", "payload": {"query": "{ __typename }", '
            f'"variables": {{"a": {value}}}}}}}'
        )
        message = await talk.receive()
        assert (message["type"], message["payload"][0]["extensions"]["code"]) == (
            "error",
            "INVALID_PARAMS",
        )
        await talk.subscribe("1", "{ __typename }")
        assert await talk.next() == "Query"


async def test_an_id_in_use_ends_the_socket(server: Running) -> None:
    async with server.socket() as talk:
        await talk.subscribe("1", FOLLOW)
        await talk.subscribe("1", FOLLOW)
        assert await talk.closed() == 4409


async def test_an_id_may_be_used_again(server: Running) -> None:
    async with server.socket() as talk:
        for _ in range(3):
            await talk.subscribe("1", "{ __typename }")
            assert await talk.next() == "Query"
            assert (await talk.receive())["type"] == "complete"
        for _ in range(20):
            await talk.subscribe("1", FOLLOW)
            await talk.send(id="1", type="complete")
        await talk.subscribe("1", "{ __typename }")
        assert await talk.next() == "Query"


@pytest.mark.parametrize("key", ['"', "\\", "😀", "\u2028", "x" * 1_000])
async def test_any_text_may_be_an_id(server: Running, key: str) -> None:
    async with server.socket() as talk:
        await talk.subscribe(key, "{ __typename }")
        assert await talk.next(key) == "Query"


async def test_completing_what_is_not_there_is_nothing(server: Running) -> None:
    async with server.socket() as talk:
        await talk.send(id="9", type="complete")
        await talk.subscribe("1", "{ __typename }")
        assert await talk.next() == "Query"


async def test_operations_of_a_socket_are_limited(serve: Serve) -> None:
    server = serve(operation_limit=3)
    async with server.socket() as talk:
        for key in "abc":
            await talk.subscribe(key, FOLLOW)
        await talk.subscribe("d", FOLLOW)
        message = await talk.receive()
        assert (message["id"], message["type"]) == ("d", "error")
        assert message["payload"][0]["extensions"]["code"] == "LIMIT_EXCEEDED"
        await talk.send(id="a", type="complete")
        await talk.subscribe("d", "{ __typename }")
        assert await talk.next("d") == "Query"


async def test_sockets_are_limited(serve: Serve) -> None:
    server = serve(socket_limit=2)
    async with server.socket(), server.socket(), server.socket(ready=False) as third:
        assert await third.closed() == 1013
    async with server.socket() as talk:
        await talk.subscribe("1", "{ __typename }")
        assert await talk.next() == "Query"


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1", "x"]
)
async def test_pages_of_other_hosts_are_refused(server: Running, origin: str) -> None:
    with pytest.raises(InvalidStatus) as refusal:
        async with server.socket(origin=origin):
            pass
    assert refusal.value.response.status_code == 403


async def test_pages_of_this_host_are_welcome(server: Running) -> None:
    async with server.socket(origin=server.url) as talk:
        await talk.subscribe("1", "{ __typename }")
        assert await talk.next() == "Query"


async def test_a_socket_is_not_compressed(server: Running) -> None:
    async with server.socket(compression="deflate") as talk:
        assert talk.connection.response is not None
        assert "Sec-WebSocket-Extensions" not in talk.connection.response.headers


async def test_messages_are_text(server: Running) -> None:
    async with server.socket() as talk:
        await talk.subscribe("1", "{ __typename }")
        async with asyncio.timeout(5):
            message = await talk.connection.recv()
        assert isinstance(message, str)
        assert json.loads(message)["type"] == "next"
