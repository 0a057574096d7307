"""Queries and mutations, as a frontend asks them."""

import pytest

from tests.web.conftest import Serve
from tests.web.running import Answer, Running

NAMES = [
    "plain",
    "emoji 😀👩‍👩‍👧",
    "עברית \u202e right to left",
    "e\u0301 combining",
    "\u00e9 composed",
    "quotes ' \" ` and \\ backslash",
    "line\nbreak\tand tab",
    "100%",
    "under_score",
    "x" * 200,
    "<script>alert(1)</script>",
    "null",
]

LIST = """query Q(
  $filter: WorkflowInstanceFilter, $order: WorkflowInstanceOrder,
  $first: Int, $after: String, $last: Int, $before: String
) {
  workflowInstances(
    filter: $filter, orderBy: $order, first: $first, after: $after, last: $last, before: $before
  ) {
    cursor
    edges { cursor node { id createdAt } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}"""


def ids(page: Answer) -> list[str]:
    return [edge["node"]["id"] for edge in page["edges"]]


def test_an_instance_is_shown_as_it_was_enqueued(server: Running) -> None:
    made = server.enqueue(
        params={"a": [1, 2.5, None, True, "é"], "big": 2**53 - 1},
        queue="elsewhere",
        priority=-7,
        idempotencyKey="key",
        singletonKey="one",
    )
    assert made["created"] is True
    shown = server.data(
        """query Q($id: ID!) { workflowInstance(instanceID: $id) {
          id instanceID name queue status priority attempts maxAttempts lastError input output
          idempotencyKey singletonKey createdAt updatedAt startedAt finishedAt runAfter cursor
          failures { edges { cursor } pageInfo { hasNextPage endCursor } }
          events { edges { cursor node { type status instanceID name queue attempt } } }
        } }""",
        id=made["instance"]["id"],
    )
    assert shown["id"] == shown["instanceID"] == made["instance"]["id"]
    assert shown["input"] == {"a": [1, 2.5, None, True, "é"], "big": 2**53 - 1}
    assert (shown["name"], shown["queue"], shown["priority"]) == ("echo", "elsewhere", -7)
    assert (shown["status"], shown["attempts"], shown["maxAttempts"]) == ("PENDING", 0, 1)
    assert (shown["idempotencyKey"], shown["singletonKey"]) == ("key", "one")
    assert shown["createdAt"] == shown["updatedAt"] == shown["runAfter"]
    assert shown["createdAt"].endswith("Z")
    assert [shown[name] for name in ("output", "lastError", "startedAt", "finishedAt")] == [
        None
    ] * 4
    [event] = shown["events"]["edges"]
    assert event["cursor"] == made["cursor"]
    assert event["node"]["type"] == "ENQUEUED"
    assert shown["failures"] == {"edges": [], "pageInfo": {"hasNextPage": False, "endCursor": None}}


def test_a_key_gives_the_same_instance_back(server: Running) -> None:
    first, *others = [server.enqueue(params=1, idempotencyKey="same") for _ in range(3)]
    assert [made["created"] for made in (first, *others)] == [True, False, False]
    assert {made["instance"]["id"] for made in others} == {first["instance"]["id"]}


def test_a_repeated_request_gives_the_first_answer(server: Running) -> None:
    head = server.head
    first, second = [server.enqueue(params=1, requestID="r-1") for _ in range(2)]
    assert first["instance"]["id"] == second["instance"]["id"]
    assert server.head == head + 1


def test_many_are_enqueued_in_order(server: Running) -> None:
    made = server.enqueue_many(30)
    assert len({each["instance"]["id"] for each in made}) == 30
    assert server.enqueue_many(0) == []


def test_many_share_one_request_id(server: Running) -> None:
    document = """mutation M($input: EnqueueManyInput!) {
      enqueueMany(input: $input) { results { instance { id } } }
    }"""
    given = {"items": [{"name": "echo"}, {"name": "echo"}], "requestID": "many-1"}
    first, second = [server.data(document, input=given)["results"] for _ in range(2)]
    assert first == second
    given["items"] = [{"name": "echo", "requestID": "x"}]
    error = server.ask(document, input=given)["errors"][0]
    assert error["extensions"]["faults"][0]["path"] == ["items", 0, "requestID"]


def test_a_cancel_says_what_it_found(server: Running) -> None:
    document = """mutation M($input: CancelInput!) {
      cancel(input: $input) { outcome cursor instance { status finishedAt } }
    }"""
    target = {"instanceID": server.enqueue()["instance"]["id"]}
    first = server.data(document, input=target)
    assert (first["outcome"], first["instance"]["status"]) == ("CANCELLED", "CANCELLED")
    assert first["instance"]["finishedAt"] is not None
    again = server.data(document, input=target)
    assert (again["outcome"], again["instance"]["status"]) == ("ALREADY_ENDED", "CANCELLED")


def test_a_retry_puts_it_back(server: Running) -> None:
    target = {"instanceID": server.enqueue()["instance"]["id"]}
    server.data("mutation M($i: CancelInput!) { cancel(input: $i) { outcome } }", i=target)
    document = """mutation M($input: RetryInput!) {
      retry(input: $input) { cursor instance { status finishedAt } }
    }"""
    answer = server.data(document, input=target)
    assert answer["instance"] == {"status": "PENDING", "finishedAt": None}


def test_several_mutations_of_one_request_are_done_in_order(server: Running) -> None:
    made = server.enqueue()["instance"]["id"]
    answer = server.ask(
        """mutation M($id: ID!) {
          a: cancel(input: {instanceID: $id}) { outcome }
          b: retry(input: {instanceID: $id}) { instance { status } }
          c: cancel(input: {instanceID: $id}) { outcome }
        }""",
        id=made,
    )
    assert answer["data"] == {
        "a": {"outcome": "CANCELLED"},
        "b": {"instance": {"status": "PENDING"}},
        "c": {"outcome": "CANCELLED"},
    }


def test_queues_are_shown_and_paused(serve: Serve) -> None:
    server = serve()
    server.enqueue("order", {"cents": 1})
    shown = """{ queues {
      name pending running waiting oldestWaitSeconds concurrency tokensLeft paused
      rate { count perSeconds burst }
    } }"""
    by_name = {queue["name"]: queue for queue in server.data(shown)}
    limited = by_name["limited"]
    assert limited["pending"] == 1
    assert limited["oldestWaitSeconds"] >= 0
    assert limited["rate"] == {"count": 600, "perSeconds": 60.0, "burst": 10}
    assert (limited["concurrency"], limited["tokensLeft"], limited["paused"]) == (3, 10.0, False)
    for verb, paused in (("pauseQueue", True), ("resumeQueue", False)):
        kind = verb[0].upper() + verb[1:] + "Input"
        document = f"mutation M($i: {kind}!) {{ {verb}(input: $i) {{ queue {{ name paused }} }} }}"
        queue = server.data(document, i={"name": "limited"})["queue"]
        assert queue == {"name": "limited", "paused": paused}


def test_workflows_are_shown_with_what_they_take(server: Running) -> None:
    document = """{ workflows {
      name queue maxLost inputSchema outputSchema
      retry { maxAttempts backoff baseSeconds capSeconds jitter }
      actions { name timeoutSeconds retry { maxAttempts } }
    } }"""
    by_name = {workflow["name"]: workflow for workflow in server.data(document)}
    assert list(by_name) == sorted(by_name)
    order = by_name["order"]
    assert order["queue"] == "limited"
    assert order["inputSchema"]["required"] == ["cents"]
    assert order["outputSchema"] == {"type": "integer"}
    assert order["retry"]["maxAttempts"] == 2
    assert (order["retry"]["baseSeconds"], order["retry"]["capSeconds"]) == (0.001, 3600.0)
    assert [action["timeoutSeconds"] for action in order["actions"]] == [None]


@pytest.mark.parametrize("order", ["NEWEST_FIRST", "OLDEST_FIRST"])
@pytest.mark.parametrize("backward", [False, True])
def test_pages_add_up_to_the_whole(serve: Serve, order: str, backward: bool) -> None:
    server = serve()
    made = [each["instance"]["id"] for each in server.enqueue_many(65)]
    whole = ids(server.data(LIST, order=order, first=500))
    assert sorted(whole) == sorted(made)
    times = [e["node"]["createdAt"] for e in server.data(LIST, order=order, first=500)["edges"]]
    assert times == sorted(times, reverse=order == "NEWEST_FIRST")
    collected: list[str] = []
    cursor, pages = None, 0
    while True:
        if backward:
            page = server.data(LIST, order=order, last=20, before=cursor)
            collected = ids(page) + collected
            more, cursor = page["pageInfo"]["hasPreviousPage"], page["pageInfo"]["startCursor"]
        else:
            page = server.data(LIST, order=order, first=20, after=cursor)
            collected += ids(page)
            more, cursor = page["pageInfo"]["hasNextPage"], page["pageInfo"]["endCursor"]
        pages += 1
        if pages == 2 and order == "NEWEST_FIRST":
            server.enqueue_many(5)  # on top of the list: what follows doesn't move
        if not more:
            break
    assert [each for each in collected if each in whole] == whole
    assert len(collected) == len(set(collected))


def test_filters_hold_together(serve: Serve) -> None:
    server = serve()
    echo = server.enqueue(queue="a")["instance"]["id"]
    other = server.enqueue("order", {"cents": 1})["instance"]["id"]
    keyed = server.enqueue(idempotencyKey="k", singletonKey="s")["instance"]["id"]

    def found(**given: object) -> list[str]:
        return sorted(ids(server.data(LIST, filter=given)))

    assert found() == sorted([echo, other, keyed])
    assert found(names=["order"]) == [other]
    assert found(names=["order", "echo"], queues=["a"]) == [echo]
    assert found(statuses=["PENDING"], idempotencyKey="k") == [keyed]
    assert found(statuses=["RUNNING", "COMPLETED"]) == []
    assert found(singletonKey="s") == [keyed]
    assert found(names=[]) == []
    assert found(createdAfter="2100-01-01T00:00:00Z") == []
    assert found(createdBefore="2100-01-01T00:00:00+14:00") == sorted([echo, other, keyed])
    moment = server.data(LIST, filter={"singletonKey": "s"})["edges"][0]["node"]["createdAt"]
    assert keyed in found(createdAfter=moment)
    assert keyed not in found(createdBefore=moment)


@pytest.mark.parametrize("name", NAMES)
def test_any_name_comes_back_as_it_was_given(server: Running, name: str) -> None:
    made = server.enqueue(params={name: name}, queue=name, idempotencyKey=name, singletonKey=name)[
        "instance"
    ]["id"]
    document = """query Q($id: ID!) {
      workflowInstance(instanceID: $id) { input queue idempotencyKey singletonKey }
    }"""
    assert server.data(document, id=made) == {
        "input": {name: name},
        "queue": name,
        "idempotencyKey": name,
        "singletonKey": name,
    }
    for given in ({"queues": [name]}, {"idempotencyKey": name}, {"singletonKey": name}):
        assert ids(server.data(LIST, filter=given)) == [made]
    assert name in {queue["name"] for queue in server.data("{ queues { name } }")}


def test_percent_and_underscore_match_only_themselves(server: Running) -> None:
    for given in ({"queues": ["%"]}, {"queues": ["_"]}, {"idempotencyKey": "%"}, {"names": ["%"]}):
        assert ids(server.data(LIST, filter=given)) == []


def test_a_payload_just_under_the_limit_comes_back(server: Running) -> None:
    text = "é" * ((1 << 19) - 10)
    made = server.enqueue(params=text)["instance"]["id"]
    document = "query Q($id: ID!) { workflowInstance(instanceID: $id) { input } }"
    assert server.data(document, id=made) == {"input": text}


def test_failures_are_listed(serve: Serve) -> None:
    server = serve(worker=True)
    made = server.enqueue("fail", "because \u2028 of \U0001f4a5")["instance"]["id"]
    document = """query Q($id: ID!) { workflowInstance(instanceID: $id) {
      status lastError finishedAt
      failures(first: 1) { edges { node { action attempt errorType message at } } }
    } }"""
    server.wait(lambda: server.data(document, id=made)["status"] == "FAILED")
    shown = server.data(document, id=made)
    [failure] = [edge["node"] for edge in shown["failures"]["edges"]]
    assert failure["errorType"] == "ValueError"
    assert failure["message"] == "because \u2028 of \U0001f4a5"
    assert "because" in shown["lastError"]
    assert (failure["attempt"], failure["at"] <= shown["finishedAt"]) == (1, True)


def test_null_is_a_value_like_any_other(server: Running) -> None:
    made = server.enqueue(params=None)
    document = "query Q($id: ID!) { workflowInstance(instanceID: $id) { input output } }"
    assert server.data(document, id=made["instance"]["id"]) == {"input": None, "output": None}
