from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from service import Context, DefinitionError, End, Ended, Rate, Workflows
from service.domain.errors import UnknownWorkflow
from service.domain.queue import QueuePolicy


@dataclass
class Bill:
    total: int


class Plain:
    pass


async def fulfil_order(ctx: Context[None], params: int) -> int:
    return params


def sync(ctx: Context[None], params: int) -> int:
    return params


def sync_hook(ended: Ended[int]) -> None: ...


def test_workflows_are_known_by_name() -> None:
    workflows = Workflows()
    workflows.workflow(fulfil_order)
    machine = workflows.machine("people")

    @machine.action
    async def only(ctx: Context[None], params: None) -> End[None]:
        return End(None)

    assert list(workflows.definitions) == ["fulfil-order", "people"]
    assert workflows.get("people") is machine.definition
    with pytest.raises(UnknownWorkflow, match="Registered: fulfil-order, people"):
        workflows.get("nobody")


def test_queues_are_known_by_name() -> None:
    workflows = Workflows()
    rate = Rate(600, per=timedelta(minutes=1))
    policy = workflows.queue("orders", concurrency=20, rate=rate)
    assert workflows.queues == {"orders": policy}
    assert policy == QueuePolicy("orders", 20, rate)


def test_two_of_one_name_are_refused() -> None:
    workflows = Workflows()
    workflows.workflow(fulfil_order)
    with pytest.raises(DefinitionError, match="Two workflows are named 'fulfil-order': rename one"):
        workflows.machine("fulfil-order")
    with pytest.raises(DefinitionError, match="Two workflows are named"):
        workflows.workflow(name="fulfil-order")(fulfil_order)
    workflows.queue("orders")
    with pytest.raises(DefinitionError, match="Queue 'orders' is declared twice"):
        workflows.queue("orders", concurrency=5)


def test_a_machine_without_actions_is_refused_when_the_registry_is_used() -> None:
    workflows = Workflows()
    workflows.machine("empty")
    with pytest.raises(DefinitionError, match="'empty' has no action"):
        _ = workflows.definitions
    with pytest.raises(DefinitionError, match="'empty' has no action"):
        workflows.get("empty")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": ""}, "A workflow's name is empty"),
        ({"name": "x" * 201}, "has 201 characters"),
        ({"name": None}, "must be text"),
        ({"queue": " "}, "The queue of workflow 'x' has only blanks"),
        ({"retry": None}, "The retry of workflow 'x' is None: give a Retry"),
        ({"max_lost": -1}, "The max_lost of workflow 'x' is -1: give a whole number from 0"),
        ({"max_lost": 1.5}, "max_lost"),
        ({"on_terminal": sync_hook}, "`on_terminal` of workflow 'x' is not an async function"),
        ({"input": Plain}, "The input of workflow 'x' is .*Plain.*no JSON form"),
        ({"output": Plain}, "The output of workflow 'x'"),
        ({"state": Plain}, "The state of workflow 'x'"),
        ({"state": Bill}, r"can't begin as Bill\(\)"),
    ],
)
def test_a_machine_that_makes_no_sense_is_refused(options: dict[str, Any], message: str) -> None:
    workflows: Any = Workflows()
    with pytest.raises(DefinitionError, match=message):
        workflows.machine(**{"name": "x", **options})
    assert workflows.definitions == {}


@pytest.mark.parametrize(
    ("options", "function", "message"),
    [
        ({}, sync, "'sync' is not an async function"),
        ({"name": ""}, fulfil_order, "A workflow's name is empty"),
        ({"queue": "\0"}, fulfil_order, "NUL"),
        ({"timeout": timedelta(0)}, fulfil_order, "The timeout of workflow 'fulfil-order'"),
        ({"retry": 3}, fulfil_order, "give a Retry"),
        ({"max_lost": True}, fulfil_order, "max_lost"),
        ({"on_terminal": sync_hook}, fulfil_order, "is not an async function"),
    ],
)
def test_a_workflow_that_makes_no_sense_is_refused(
    options: dict[str, Any], function: Any, message: str
) -> None:
    workflows: Any = Workflows()
    with pytest.raises(DefinitionError, match=message):
        workflows.workflow(**options)(function)
    assert workflows.definitions == {}


def test_a_state_may_be_made_from_the_input() -> None:
    machine = Workflows().machine("x", input=int, state=Bill, initial=Bill)

    @machine.action
    async def only(ctx: Context[Bill], params: int) -> End[None]:
        return End(None)

    assert machine.definition.initial_state(5) == Bill(5)
