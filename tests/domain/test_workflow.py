from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from service import Context, DefinitionError, End, Next, Retry, Workflows
from service.domain.workflow import ACTION


@dataclass
class User:
    name: str


async def greet(ctx: Context[None], params: User) -> str:
    return f"Hello {params.name}"


async def test_a_workflow_is_one_action_that_ends_with_what_it_returns() -> None:
    made = Workflows().workflow(greet)
    definition = made.definition
    assert (made.name, definition.name, definition.queue) == ("greet", "greet", "greet")
    assert (definition.initial_action, list(definition.actions)) == (ACTION, [ACTION])
    assert definition.state.encode(definition.initial_state(User("Ada"))) == "null"
    ctx: Any = None
    assert await definition.actions[ACTION].handler(ctx, User("Ada")) == End("Hello Ada")
    assert definition.output.encode("x") == '"x"'


async def test_a_workflow_can_be_called_as_the_function_it_is() -> None:
    ctx: Any = None
    assert await Workflows().workflow(greet)(ctx, User("Ada")) == "Hello Ada"


def test_options_are_kept() -> None:
    retry = Retry(max_attempts=4)
    made = Workflows().workflow(
        name="say hello", queue="people", retry=retry, timeout=timedelta(minutes=1), max_lost=0
    )(greet)
    definition = made.definition
    assert (definition.name, definition.queue, definition.max_lost) == ("say hello", "people", 0)
    assert definition.retry == retry
    assert definition.actions[ACTION].timeout == timedelta(minutes=1)


async def to_next(ctx: Context[None], params: User) -> Next: ...


async def to_end(ctx: Context[None], params: User) -> End[str] | None: ...


@pytest.mark.parametrize("function", [to_next, to_end])
def test_a_workflow_that_returns_an_outcome_is_refused(function: Any) -> None:
    with pytest.raises(DefinitionError, match="return the output itself, or write a workflow of"):
        Workflows().workflow(function)


async def with_state(ctx: Context[User], params: User) -> str: ...


async def from_plain(ctx: Context[None], params: "Plain") -> str: ...


class Plain:
    pass


def test_a_workflow_has_no_state() -> None:
    with pytest.raises(DefinitionError, match=r"and the state is None"):
        Workflows().workflow(with_state)  # pyright: ignore[reportArgumentType]


def test_types_without_a_json_form_are_refused() -> None:
    with pytest.raises(DefinitionError, match="The type of the params of Workflow 'from-plain'"):
        Workflows().workflow(from_plain)
