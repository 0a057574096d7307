"""A workflow of several actions, as its author writes it."""

from collections.abc import Callable, Coroutine
from datetime import timedelta
from types import MappingProxyType, UnionType
from typing import Any, Generic, Union, get_args, get_origin, overload

from typing_extensions import TypeVar

from service.domain.action import Action, P
from service.domain.checks import check_span
from service.domain.context import Context
from service.domain.definition import Definition, Hook
from service.domain.errors import DefinitionError
from service.domain.names import check_defined_name, dashed
from service.domain.outcome import End, Next
from service.domain.payload import Codec
from service.domain.retry import Retry, check_retry
from service.domain.signature import name_of, read_signature, shown

I = TypeVar("I", default=None)  # noqa: E741 - input
S = TypeVar("S", default=None)
O = TypeVar("O", default=None)  # noqa: E741 - output

Handler = Callable[[Context[S], P], Coroutine[Any, Any, Next | End[O]]]


class Machine(Generic[I, S, O]):
    """A workflow whose actions are declared with `@machine.action`; made by `Workflows.machine`."""

    def __init__(  # noqa: PLR0913 - all that a definition is made of
        self,
        name: str,
        queue: str,
        *,
        input: Codec[I],
        state: Codec[S],
        output: Codec[O],
        initial_state: Callable[[I], S],
        retry: Retry,
        max_lost: int,
        on_terminal: Hook[O] | None,
    ) -> None:
        self.name = name
        self._queue = queue
        self._input = input
        self._state = state
        self._output = output
        self._initial_state = initial_state
        self._retry = retry
        self._max_lost = max_lost
        self._on_terminal = on_terminal
        self._actions: dict[str, Action[Any]] = {}
        self._definition: Definition[I, O] | None = None

    @overload
    def action(self, handler: Handler[S, P, O], /) -> Action[P]: ...

    @overload
    def action(
        self,
        *,
        retry: Retry | None = None,
        timeout: timedelta | None = None,
        name: str | None = None,
    ) -> Callable[[Handler[S, P, O]], Action[P]]: ...

    def action(
        self,
        handler: Handler[S, P, O] | None = None,
        *,
        retry: Retry | None = None,
        timeout: timedelta | None = None,
        name: str | None = None,
    ) -> Action[P] | Callable[[Handler[S, P, O]], Action[P]]:
        """Declare an action: bare, or with its own retry, timeout and name.

        The first one declared is where an instance starts. Its name is the function's, with
        dashes. Raises DefinitionError.
        """

        def declare(handler: Handler[S, P, O]) -> Action[P]:
            return self._declare(handler, retry, timeout, name)

        return declare if handler is None else declare(handler)

    @property
    def definition(self) -> Definition[I, O]:
        """Return the whole workflow, to which no action can be added from then on.

        Raises DefinitionError when it has no action.
        """
        if self._definition is None:
            if not self._actions:
                raise DefinitionError(
                    f"Workflow {self.name!r} has no action: declare one with `@….action`, in a "
                    "module that is imported before the service starts."
                )
            self._definition = Definition(
                name=self.name,
                queue=self._queue,
                actions=MappingProxyType(self._actions),
                initial_action=next(iter(self._actions)),
                input=self._input,
                state=self._state,
                output=self._output,
                initial_state=self._initial_state,
                max_lost=self._max_lost,
                on_terminal=self._on_terminal,
            )
        return self._definition

    def _declare(
        self,
        handler: Handler[S, P, O],
        retry: Retry | None,
        timeout: timedelta | None,
        name: str | None,
    ) -> Action[P]:
        name = dashed(name_of(handler)) if name is None else name
        check_defined_name(name, f"The name of an action of workflow {self.name!r}")
        what = f"Action {name!r} of workflow {self.name!r}"
        self._check_place(name, what)
        signature = read_signature(handler, what, self._state.annotation)
        self._check_types(signature.params, signature.returns, what)
        if retry is not None:
            check_retry(retry, what)
        if timeout is not None:
            check_span(timeout, f"The timeout of {what}")
        action = Action(
            name=name,
            handler=handler,
            params=Codec[P](signature.params, f"The type of the params of {what}"),
            retry=self._retry if retry is None else retry,
            timeout=timeout,
        )
        self._actions[name] = action
        return action

    def _check_place(self, name: str, what: str) -> None:
        if self._definition is not None:
            raise DefinitionError(
                f"{what} is declared after the workflow was first used: declare every action "
                "before the service starts."
            )
        if name in self._actions:
            raise DefinitionError(f"{what} is declared twice: rename one of the two.")

    def _check_types(self, params: object, returns: object, what: str) -> None:
        if not self._actions and params != self._input.annotation:
            raise DefinitionError(
                f"{what} is the first, so it is given the input, {shown(self._input.annotation)}, "
                f"and takes {shown(params)}: make the two the same type."
            )
        union = get_origin(returns) in (Union, UnionType)
        for outcome in get_args(returns) if union else (returns,):
            if outcome is Next:
                continue
            if (get_origin(outcome), get_args(outcome)) != (End, (self._output.annotation,)):
                end = f"End[{shown(self._output.annotation)}]"
                raise DefinitionError(
                    f"{what} returns {shown(returns)}: annotate it with `Next`, `{end}` or "
                    f"`Next | {end}`, as the output is {shown(self._output.annotation)}."
                )
