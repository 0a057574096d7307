"""What comes over HTTP that is no good request."""

from typing import Any

import httpx
import pytest

from tests.web.conftest import Serve
from tests.web.running import Running

JSON = {"content-type": "application/json"}
HERE = '{"query": "{__typename}"}'


def shaped(response: httpx.Response) -> dict[str, Any]:
    """Return the first error of what has to be a GraphQL response."""
    response.content.decode("utf-8", "strict")
    assert response.headers["content-type"] == "application/json"
    answer = response.json()
    assert "data" not in answer
    error = answer["errors"][0]
    assert error["message"]
    assert "Traceback" not in response.text
    assert 'File "' not in response.text
    return error


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"1",
        b"null",
        b'"x"',
        b"[]",
        b"[" + HERE.encode() + b"]",
        b"{}",
        b"{",
        b"\xff\xfe",
        b'{"query": "\xff"}',
        b"[" * 100_000,
        b'{"query":' * 10_000,
        b'{"query": 1}',
        b'{"query": ""}',
        b'{"query": null}',
        b'{"query": "{__typename}", "variables": []}',
        b'{"query": "{__typename}", "variables": "x"}',
        b'{"query": "{__typename}", "operationName": 5}',
        b"query=%7B__typename%7D",
        b'{"query": "{__typename}", "variables": {"a": 1' + b"0" * 5_000 + b"}",
    ],
)
def test_a_body_that_is_no_request_is_refused(server: Running, body: bytes) -> None:
    response = server.http.post("/graphql", content=body, headers=JSON)
    assert response.status_code == 400
    assert shaped(response)["extensions"]["code"] == "BAD_REQUEST"


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", '"\\ud800"', '"a\\udfffb"'])
def test_what_json_can_not_hold_is_refused_with_its_path(server: Running, value: str) -> None:
    body = f'{{"query": "{{__typename}}", "variables": {{"a": [1, {value}]}}}}'
    response = server.http.post("/graphql", content=body, headers=JSON)
    assert response.status_code == 400
    extensions = shaped(response)["extensions"]
    assert extensions["code"] == "INVALID_PARAMS"
    assert extensions["faults"][0]["path"] == ["variables", "a", 1]


def test_half_of_a_surrogate_pair_in_the_document_is_a_syntax_error(server: Running) -> None:
    document = r'{ workflowInstances(filter: {names: ["\ud800"]}) { cursor } }'
    error = shaped(server.post({"query": document}))
    assert error["extensions"]["code"] == "GRAPHQL_PARSE_FAILED"


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=latin-1",
        "application/jsonp",
        "",
    ],
)
def test_only_json_is_taken_since_browsers_ask_before_they_send_it(
    server: Running, kind: str
) -> None:
    response = server.http.post("/graphql", content=HERE, headers={"content-type": kind})
    assert response.status_code == 415
    assert shaped(response)["extensions"]["code"] == "BAD_REQUEST"
    assert not any(name.startswith("access-control-") for name in response.headers)


@pytest.mark.parametrize(
    "kind",
    ["application/json", "application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"'],
)
def test_json_is_taken_however_it_is_written(server: Running, kind: str) -> None:
    response = server.http.post("/graphql", content=HERE, headers={"content-type": kind})
    assert response.json() == {"data": {"__typename": "Query"}}


def test_a_preflight_is_given_nothing(server: Running) -> None:
    headers = {"origin": "http://evil.example", "access-control-request-method": "POST"}
    response = server.http.options("/graphql", headers=headers)
    assert response.status_code == 405
    assert not any(name.startswith("access-control-") for name in response.headers)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS"])
def test_other_methods_are_refused(server: Running, method: str) -> None:
    response = server.http.request(method, "/graphql", content=HERE, headers=JSON)
    assert response.status_code == 405
    assert response.headers["allow"] == "GET, POST"
    shaped(response)


@pytest.mark.parametrize("streamed", [False, True])
def test_a_body_above_the_limit_is_refused(serve: Serve, streamed: bool) -> None:
    server = serve(body_limit=20_000, payload_limit=10_000)
    body = b'{"query": "' + b" " * 30_000 + b'{__typename}"}'
    content = (body[at : at + 1_000] for at in range(0, len(body), 1_000)) if streamed else body
    response = server.http.post("/graphql", content=content, headers=JSON)
    assert response.status_code == 413
    assert shaped(response)["extensions"]["code"] == "LIMIT_EXCEEDED"
    assert server.data("{__typename}") == "Query"


def test_queries_may_be_asked_by_address(server: Running) -> None:
    document = "query Q($n: Int) { workflowInstances(first: $n) { edges { cursor } } }"
    address = {"query": document, "variables": '{"n": 1}', "operationName": "Q"}
    response = server.http.get("/graphql", params=address)
    assert response.status_code == 200
    assert response.json() == {"data": {"workflowInstances": {"edges": []}}}


def test_no_link_can_change_anything(server: Running) -> None:
    head = server.head
    document = 'mutation { enqueue(input: {name: "echo"}) { created } }'
    response = server.http.get("/graphql", params={"query": document})
    assert response.status_code == 405
    assert response.headers["allow"] == "POST"
    shaped(response)
    assert server.head == head


@pytest.mark.parametrize(
    "address",
    [
        "",
        "?",
        "?query=",
        "?query=%FF",
        "?variables=1",
        "?query={__typename}&variables=x",
        "?" + "a=1&" * 50,
    ],
)
def test_an_address_without_a_good_query_is_refused(server: Running, address: str) -> None:
    response = server.http.get(f"/graphql{address}")
    assert response.status_code == 400
    assert shaped(response)["extensions"]["code"] == "BAD_REQUEST"


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"query": "{ nope }"}, "GRAPHQL_VALIDATION_FAILED"),
        ({"query": "{"}, "GRAPHQL_PARSE_FAILED"),
        ({"query": "query A {__typename} query B {__typename}"}, "OPERATION_RESOLUTION_FAILURE"),
        ({"query": "query A {__typename}", "operationName": "B"}, "OPERATION_RESOLUTION_FAILURE"),
        ({"query": "fragment F on Query {__typename}"}, "GRAPHQL_VALIDATION_FAILED"),
        ({"query": "{" * 100_000}, "GRAPHQL_PARSE_FAILED"),
        ({"query": "{" + "__typename " * 5_000 + "}"}, "LIMIT_EXCEEDED"),
        ({"query": "#" * 200_000}, "LIMIT_EXCEEDED"),
        (
            {"query": "query($n: Int!) {workflowInstances(first: $n) {cursor}}"},
            "BAD_USER_INPUT",
        ),
        (
            {
                "query": "query($n: Int!) {workflowInstances(first: $n) {cursor}}",
                "variables": {"n": 2**31},
            },
            "BAD_USER_INPUT",
        ),
        (
            {
                "query": "query($t: DateTime) "
                "{workflowInstances(filter: {createdAfter: $t}) {cursor}}",
                "variables": {"t": "2030-01-01T00:00:00"},
            },
            "BAD_USER_INPUT",
        ),
        ({"query": "subscription {workflowEvents {type}}"}, "BAD_REQUEST"),
    ],
)
def test_a_request_that_can_not_be_executed_is_refused(
    server: Running, request_: dict[str, Any], code: str
) -> None:
    response = server.post(request_)
    assert response.status_code == 400
    assert shaped(response)["extensions"]["code"] == code


def test_the_named_operation_is_the_one_that_is_executed(server: Running) -> None:
    document = "query A {a: __typename} query B {b: __typename}"
    answer = server.post({"query": document, "operationName": "B"}).json()
    assert answer == {"data": {"b": "Query"}}


def test_an_answer_comes_as_the_media_type_that_is_asked_for(server: Running) -> None:
    new = "application/graphql-response+json"
    response = server.http.post("/graphql", content=HERE, headers={**JSON, "accept": new})
    assert response.headers["content-type"] == new
    refused = server.http.post("/graphql", content="{}", headers={**JSON, "accept": new})
    assert (refused.status_code, refused.headers["content-type"]) == (400, new)


def test_nothing_says_which_server_it_is(server: Running) -> None:
    assert "server" not in server.post({"query": "{__typename}"}).headers
