import asyncio
import gc
import json
from typing import Any

import pytest
from graphql import Executor

from service.domain.errors import CursorExpired
from service.domain.queue import QueueView
from service.graphql import sharing
from service.graphql.asking import GraphQL, Question
from service.graphql.errors import Refused
from tests.graphql.fakes import FakeEvents, FakeWorkflows, event, graphql

PLAIN = "subscription S($after: String) { workflowEvents(after: $after) { cursor type } }"
WITH_INSTANCE = "subscription { workflowEvents { cursor instance { id input } } }"


async def all_of(asked: GraphQL, document: str, **variables: Any) -> list[Any]:
    execution = asked.prepare(Question(document, variables))
    return [json.loads(text) async for texts in execution.follow() for text in texts]


@pytest.fixture
def executed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    positions: list[int] = []
    execute = Executor.execute_operation

    def counted(self: Executor[Any], serially: bool | None = None) -> Any:
        positions.append(self.root_value.position)
        return execute(self, serially)

    monkeypatch.setattr(Executor, "execute_operation", counted)
    return positions


async def test_an_event_is_executed_once_for_all_who_ask_the_same(executed: list[int]) -> None:
    asked = graphql(FakeWorkflows(), FakeEvents([[event(1), event(2)], [event(3)]]))
    answers = await asyncio.gather(*(all_of(asked, PLAIN, after=str(n)) for n in range(20)))
    assert all(answer == answers[0] for answer in answers)
    assert len(answers[0]) == 3
    assert executed == [1, 2, 3]


async def test_those_who_ask_for_more_get_their_own_answers(executed: list[int]) -> None:
    asked = graphql(FakeWorkflows(), FakeEvents([[event(1)]]))
    other = PLAIN.replace("type", "status")
    first, second = await asyncio.gather(all_of(asked, PLAIN), all_of(asked, other))
    assert set(first[0]["data"]["workflowEvents"]) == {"cursor", "type"}
    assert set(second[0]["data"]["workflowEvents"]) == {"cursor", "status"}


async def test_a_variable_that_shows_in_the_answer_tells_questions_apart() -> None:
    asked = graphql(FakeWorkflows(), FakeEvents([[event(1)]]))
    document = "subscription S($t: Boolean!) { workflowEvents { cursor type @include(if: $t) } }"
    first, second = await asyncio.gather(
        all_of(asked, document, t=True), all_of(asked, document, t=False)
    )
    assert set(first[0]["data"]["workflowEvents"]) == {"cursor", "type"}
    assert set(second[0]["data"]["workflowEvents"]) == {"cursor"}


async def test_the_instances_of_a_batch_are_read_together() -> None:
    workflows = FakeWorkflows()
    batch = [event(1, "i1"), event(2, "i2"), event(3, "i1"), event(4, "x")]
    answers = await all_of(graphql(workflows, FakeEvents([batch])), WITH_INSTANCE)
    ids = [answer["data"]["workflowEvents"]["instance"] for answer in answers]
    assert ids == [
        {"id": "i1", "input": {"cents": 5}},
        {"id": "i2", "input": {"cents": 5}},
        {"id": "i1", "input": {"cents": 5}},
        None,
    ]
    assert workflows.asked == [["i1", "i2", "x"]]


async def test_what_was_read_for_an_event_is_not_kept_for_later_readers() -> None:
    workflows = FakeWorkflows()
    asked = graphql(workflows, FakeEvents([[event(1)]]))
    together = await asyncio.gather(*(all_of(asked, WITH_INSTANCE) for _ in range(5)))
    assert len(together) == 5
    before = len(workflows.asked)
    assert before <= 2
    await asyncio.gather(*(all_of(asked, WITH_INSTANCE) for _ in range(5)))
    assert before < len(workflows.asked)


async def test_a_source_that_breaks_ends_the_operation_with_its_code() -> None:
    events = FakeEvents([[event(1)]])
    events.error = CursorExpired("The events after the cursor were pruned.")
    execution = graphql(FakeWorkflows(), events).prepare(Question(PLAIN))
    answers = execution.follow()
    assert len(await anext(answers)) == 1
    with pytest.raises(Refused) as refusal:
        await anext(answers)
    assert refusal.value.errors[0]["extensions"]["code"] == "CURSOR_EXPIRED"
    assert events.open == 0


async def test_closing_an_answer_closes_its_source() -> None:
    events = FakeEvents([[event(1)], [event(2)]])
    answers = graphql(FakeWorkflows(), events).prepare(Question(PLAIN)).follow()
    await anext(answers)
    assert events.open == 1
    await answers.aclose()
    assert events.open == 0


async def test_nothing_is_kept_of_a_question_that_nobody_asks_any_more() -> None:
    asked = graphql(FakeWorkflows(), FakeEvents([[event(n)] for n in range(1, 50)]))
    for document in (PLAIN, WITH_INSTANCE):
        await asyncio.gather(*(all_of(asked, document) for _ in range(3)))
    gc.collect()
    assert len(asked._sharing._questions) == 0


async def test_what_is_kept_for_others_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "KEPT", 1_000)
    asked = graphql(FakeWorkflows(), FakeEvents([[event(n)] for n in range(1, 200)]))
    await asyncio.gather(*(all_of(asked, PLAIN) for _ in range(3)))
    kept = asked._sharing.kept
    assert 0 < sum(map(len, kept.values())) <= 1_000


async def test_a_count_may_be_past_what_an_int_holds() -> None:
    class FakeQueues:
        async def list(self) -> list[QueueView]:
            return [
                QueueView(
                    name="q",
                    pending=2**40,
                    running=2**31,
                    waiting=0,
                    oldest_wait_seconds=None,
                    concurrency=None,
                    rate=None,
                    tokens_left=None,
                    paused=False,
                )
            ]

    asked = graphql(FakeWorkflows(), queues=FakeQueues())
    answer = await asked.prepare(Question("{ queues { pending running } }")).respond()
    assert answer == {"data": {"queues": [{"pending": 2**40, "running": 2**31}]}}


async def test_a_number_that_is_too_long_for_its_type_is_a_fault_of_ours() -> None:
    workflows = FakeWorkflows()
    workflows.known_facts = {"attempts": 2**31}
    document = "{ workflowInstance(instanceID: 1) { id attempts } }"
    answer = await graphql(workflows).prepare(Question(document)).respond()
    assert answer["errors"][0]["extensions"]["code"] == "INTERNAL"
