from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import BaseModel

from service import Context, End, Ended, Next, Retry, Workflows
from service.domain.definition import Definition
from service.domain.errors import InvalidParams, PayloadTooLarge
from service.domain.instance import OnConflict

LIMIT = 1 << 20


@dataclass
class Order:
    id: str
    cents: int
    tags: list[str] = field(default_factory=list)


class Visitor(BaseModel):
    name: str
    age: int = 18


async def told(ended: Ended[None]) -> None: ...


def fulfil() -> Definition:
    workflows = Workflows()
    machine = workflows.machine(
        "fulfil", input=Order, queue="orders", retry=Retry(max_attempts=4), max_lost=7
    )

    @machine.action(retry=Retry(max_attempts=9))
    async def pay(ctx: Context[None], params: Order) -> Next | End[None]:
        return End(None)

    return machine.definition


DEFINITION = fulfil()
PLAIN = {"id": "o1", "cents": 5}


def launch(params: object, **more: Any) -> Any:
    return DEFINITION.launch(id="i1", params=params, payload_limit=LIMIT, **more)


def faults(**more: Any) -> dict[str, str]:
    with pytest.raises(InvalidParams) as caught:
        launch(**more)
    return {".".join(map(str, f.path)): f.message for f in caught.value.faults}


def test_a_launch_takes_what_is_not_given_from_the_definition() -> None:
    made = launch(PLAIN)
    assert (made.id, made.name, made.queue, made.priority) == ("i1", "fulfil", "orders", 0)
    assert (made.action, made.input) == ("pay", '{"id":"o1","cents":5,"tags":[]}')
    assert (made.max_attempts, made.max_lost, made.hooked) == (9, 7, False)
    assert (made.idempotency_key, made.params_digest, made.singleton_key) == (None, None, None)
    assert made.on_conflict is OnConflict.RETURN


def test_a_launch_keeps_what_is_given() -> None:
    made = launch(
        Order("o1", 5),
        queue="q\n%_",
        priority=-(2**31),
        idempotency_key="é",
        singleton_key="e\u0301",
        on_conflict=OnConflict.REPLACE,
    )
    assert (made.queue, made.priority) == ("q\n%_", -(2**31))
    assert (made.idempotency_key, made.singleton_key) == ("é", "e\u0301")
    assert made.on_conflict is OnConflict.REPLACE


def test_every_fault_is_told_at_once() -> None:
    found = faults(
        params={"id": 1, "cents": "x"},
        queue="",
        priority=2**31,
        idempotency_key=" ",
        singleton_key="x" * 201,
    )
    assert list(found) == [
        "queue",
        "idempotencyKey",
        "singletonKey",
        "priority",
        "params.id",
        "params.cents",
    ]


@pytest.mark.parametrize("priority", [2**31, -(2**31) - 1, True, 1.0, "1"])
def test_a_priority_is_a_whole_number_of_32_bits(priority: object) -> None:
    assert list(faults(params=PLAIN, priority=priority)) == ["priority"]


def test_params_obey_the_rules_of_payloads() -> None:
    assert list(faults(params={"id": "a\0", "cents": 2**60})) == ["params.id", "params.cents"]
    assert list(faults(params=None)) == ["params"]
    assert list(faults(params=Order("a\ud800", 1))) == ["params.id"]


def test_params_above_the_limit_are_refused() -> None:
    with pytest.raises(PayloadTooLarge, match="params is 32 bytes of JSON, above the limit of 31"):
        DEFINITION.launch(id="i1", params=PLAIN | {"id": "o12"}, payload_limit=31)
    DEFINITION.launch(id="i1", params=PLAIN | {"id": "o12"}, payload_limit=32)


def test_the_digest_is_of_the_params_as_the_caller_gave_them() -> None:
    def digest(params: object) -> str | None:
        return launch(params, idempotency_key="k").params_digest

    assert digest(PLAIN) == digest({"cents": 5.0, "id": "o1"})
    assert digest(PLAIN) != digest(PLAIN | {"tags": []})
    assert digest(PLAIN | {"tags": []}) == digest(Order("o1", 5))
    assert digest(PLAIN) != digest({"id": "o1", "cents": 6})


def test_a_model_may_be_given_for_plain_params() -> None:
    workflows = Workflows()

    @workflows.workflow
    async def greet(ctx: Context[None], params: Visitor) -> str:
        return params.name

    made = greet.definition.launch(
        id="i1", params=Visitor(name="Ada"), payload_limit=LIMIT, idempotency_key="k"
    )
    assert made.input == '{"name":"Ada","age":18}'


def test_a_hook_is_told_to_the_store() -> None:
    machine = Workflows().machine("hooked", on_terminal=told)

    @machine.action
    async def only(ctx: Context[None], params: None) -> End[None]:
        return End(None)

    assert machine.definition.launch(id="i1", params=None, payload_limit=LIMIT).hooked
    assert machine.definition.launch(id="i1", params=None, payload_limit=LIMIT).input == "null"


def test_the_retry_is_that_of_the_first_action() -> None:
    assert DEFINITION.retry == Retry(max_attempts=9)
