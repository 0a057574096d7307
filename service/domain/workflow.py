"""A workflow of one action: plain durable Python."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType, UnionType
from typing import Any, Generic, Union, cast, get_args, get_origin

from typing_extensions import TypeVar

from service.domain.action import Action
from service.domain.context import Context
from service.domain.definition import Definition, Hook
from service.domain.errors import DefinitionError
from service.domain.outcome import End, Next
from service.domain.payload import Codec
from service.domain.retry import Retry
from service.domain.signature import read_signature, shown

P = TypeVar("P")
R = TypeVar("R")

Function = Callable[[Context[None], P], Coroutine[Any, Any, R]]

ACTION = "run"
"""The one action's name: the function's own may change while instances of it are alive."""


@dataclass(frozen=True, slots=True)
class Workflow(Generic[P, R]):
    """A function declared with `@workflows.workflow`. Called, it is the plain function."""

    definition: Definition[P, R]
    function: Function[P, R]

    @property
    def name(self) -> str:
        """Return the workflow's name."""
        return self.definition.name

    def __call__(self, ctx: Context[None], params: P) -> Coroutine[Any, Any, R]:
        """Run the function, as a test of it does."""
        return self.function(ctx, params)


def workflow_of(
    function: Function[P, R],
    *,
    name: str,
    queue: str,
    retry: Retry,
    timeout: timedelta | None,
    max_lost: int,
    on_terminal: Hook[R] | None,
) -> Workflow[P, R]:
    """Return the workflow that a function is; raises DefinitionError when it is none."""
    what = f"Workflow {name!r}"
    signature = read_signature(function, what, type(None))
    _check_plain(signature.returns, what)
    params = Codec[P](signature.params, f"The type of the params of {what}")
    output = Codec[R](signature.returns, f"The return type of {what}")

    async def run(ctx: Context[None], params: P) -> End[R]:
        return End(await function(ctx, params))

    action = Action(name=ACTION, handler=run, params=params, retry=retry, timeout=timeout)
    definition = Definition(
        name=name,
        queue=queue,
        actions=MappingProxyType({ACTION: cast("Action[Any]", action)}),
        initial_action=ACTION,
        input=params,
        state=Codec[None](None),
        output=output,
        initial_state=lambda _: None,
        max_lost=max_lost,
        on_terminal=on_terminal,
    )
    return Workflow(definition, function)


def _check_plain(returns: object, what: str) -> None:
    union = get_origin(returns) in (Union, UnionType)
    for each in get_args(returns) if union else (returns,):
        if each in (Next, End) or get_origin(each) is End:
            raise DefinitionError(
                f"{what} returns {shown(returns)}: return the output itself, or write a workflow "
                "of several actions with `workflows.machine(…)`."
            )
