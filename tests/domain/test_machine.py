from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Optional

import pytest

from service import Context, DefinitionError, End, Next, Retry, Workflows
from service.domain.machine import Machine


@dataclass
class Order:
    cents: int


@dataclass
class Progress:
    charge: str | None = None
    notes: list[str] = field(default_factory=list)


@dataclass
class Receipt:
    total: int


def machine(**more: Any) -> Any:
    return Workflows().machine("fulfil", input=Order, state=Progress, output=Receipt, **more)


async def start(ctx: Context[Progress], params: Order) -> Next | End[Receipt]:
    return End(Receipt(params.cents))


async def test_the_first_action_is_where_an_instance_starts() -> None:
    made: Machine[Order, Progress, Receipt] = machine(retry=Retry(max_attempts=3))

    @made.action
    async def pay_now(ctx: Context[Progress], params: Order) -> Next | End[Receipt]:
        return ship.next("home", after=timedelta(hours=1))

    @made.action(name="ship it", retry=Retry(max_attempts=9), timeout=timedelta(minutes=2))
    async def ship(ctx: Context[Progress], params: str) -> End[Receipt]:
        return End(Receipt(5))

    definition = made.definition
    assert (definition.name, definition.queue, definition.max_lost) == ("fulfil", "fulfil", 3)
    assert list(definition.actions) == ["pay-now", "ship it"]
    assert definition.initial_action == "pay-now"
    assert (pay_now.retry.max_attempts, pay_now.timeout) == (3, None)
    assert (ship.retry.max_attempts, ship.timeout) == (9, timedelta(minutes=2))
    assert definition.initial_state(Order(1)) == Progress()
    assert definition.actions["pay-now"].params.decode('{"cents":5}') == Order(5)
    outcome = await pay_now.handler(None, Order(5))  # pyright: ignore[reportArgumentType]
    assert outcome == Next("ship it", "home", timedelta(hours=1))


async def next_only(ctx: Context[Progress], params: Order) -> Next: ...


async def end_only(ctx: Context[Progress], params: Order) -> End[Receipt]: ...


async def optional(ctx: Context[Progress], params: Order) -> Optional[Next]: ...  # noqa: UP045


async def end_of_other(ctx: Context[Progress], params: Order) -> Next | End[int]: ...


async def bare_end(ctx: Context[Progress], params: Order) -> Next | End: ...


async def output_itself(ctx: Context[Progress], params: Order) -> Receipt: ...


async def other_input(ctx: Context[Progress], params: str) -> Next: ...


async def unencodable(ctx: Context[Progress], params: object) -> Next: ...


@pytest.mark.parametrize("handler", [start, next_only, end_only])
def test_an_action_returns_next_or_the_end(handler: Any) -> None:
    assert machine().action(handler).handler is handler


@pytest.mark.parametrize("handler", [optional, end_of_other, bare_end, output_itself])
def test_an_action_that_returns_something_else_is_refused(handler: Any) -> None:
    with pytest.raises(DefinitionError, match=r"annotate it with `Next`, `End\[Receipt\]` or"):
        machine().action(handler)


def test_the_first_action_takes_the_input() -> None:
    with pytest.raises(
        DefinitionError, match="given the input, Order, and takes str: make the two"
    ):
        machine().action(other_input)
    made = machine()
    made.action(start)
    made.action(other_input)


def test_params_that_have_no_json_form_are_refused() -> None:
    class Plain:
        pass

    async def later(ctx: Context[Progress], params: Plain) -> Next: ...

    made = machine()
    made.action(start)
    with pytest.raises(DefinitionError, match=r"params of Action 'later' of .*no JSON form"):
        made.action(later)
    assert list(made.definition.actions) == ["start"]


def test_two_actions_of_one_name_are_refused() -> None:
    made = machine()
    made.action(start)
    with pytest.raises(DefinitionError, match="Action 'start' of workflow 'fulfil' is declared tw"):
        made.action(start)


def test_an_action_declared_too_late_is_refused() -> None:
    made = machine()
    made.action(start)
    assert made.definition is made.definition
    with pytest.raises(DefinitionError, match="declare every action before the service starts"):
        made.action(other_input)


def test_a_machine_without_actions_is_refused_when_it_is_used() -> None:
    with pytest.raises(DefinitionError, match="has no action: declare one with"):
        _ = machine().definition


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": ""}, "The name of an action of workflow 'fulfil' is empty"),
        ({"name": "x" * 201}, "at most 200"),
        ({"timeout": timedelta(0)}, "The timeout of Action 'start'.*above zero"),
        ({"timeout": 5}, "give a timedelta"),
        ({"retry": 5}, "give a Retry"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        machine().action(**options)(start)


def test_the_actions_of_a_definition_are_read_only() -> None:
    made = machine()
    made.action(start)
    with pytest.raises(TypeError):
        made.definition.actions["other"] = None
