"""The workflows and queues of a program, as its author declares them."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import Any, overload

from typing_extensions import TypeForm

from service.domain.beginning import beginning
from service.domain.checks import check_count, check_span
from service.domain.definition import Definition, Hook
from service.domain.errors import DefinitionError, UnknownWorkflow
from service.domain.machine import I, Machine, O, S
from service.domain.names import check_defined_name, dashed
from service.domain.payload import Codec
from service.domain.queue import QueuePolicy, Rate
from service.domain.retry import Retry, check_retry
from service.domain.signature import check_hook, name_of
from service.domain.workflow import Function, P, R, Workflow, workflow_of

MAX_LOST = 3
_ONCE = Retry()


class Workflows:
    """What a program can run. Whatever makes no sense is a DefinitionError where it is written."""

    def __init__(self) -> None:
        self._known: dict[str, Machine[Any, Any, Any] | Workflow[Any, Any]] = {}
        self._queues: dict[str, QueuePolicy] = {}

    def queue(
        self, name: str, *, concurrency: int | None = None, rate: Rate | None = None
    ) -> QueuePolicy:
        """Declare what a queue allows; one that is not declared has no cap and no rate."""
        policy = QueuePolicy(name, concurrency, rate)
        if name in self._queues:
            raise DefinitionError(
                f"Queue {name!r} is declared twice: declare it once, with all that it allows."
            )
        self._queues[name] = policy
        return policy

    def machine(  # noqa: PLR0913 - all that a definition is made of
        self,
        name: str,
        *,
        input: TypeForm[I] | None = None,
        state: TypeForm[S] | None = None,
        output: TypeForm[O] | None = None,
        queue: str | None = None,
        retry: Retry = _ONCE,
        max_lost: int = MAX_LOST,
        on_terminal: Hook[O] | None = None,
        initial: Callable[[I], S] | None = None,
    ) -> Machine[I, S, O]:
        """Declare a workflow of several actions; each is then declared with `@machine.action`.

        The state begins as `state()`, or as what `initial` makes of the input. `retry` is for the
        actions that have none of their own. By default the queue is the workflow's name.
        """
        queue = self._check(name, queue, retry, max_lost, on_terminal)
        what = f"workflow {name!r}"
        state_codec = Codec[S](state, f"The state of {what}")
        machine = Machine(
            name,
            queue,
            input=Codec[I](input, f"The input of {what}"),
            state=state_codec,
            output=Codec[O](output, f"The output of {what}"),
            initial_state=beginning(state_codec, initial, what),
            retry=retry,
            max_lost=max_lost,
            on_terminal=on_terminal,
        )
        self._known[name] = machine
        return machine

    @overload
    def workflow(self, function: Function[P, R], /) -> Workflow[P, R]: ...

    @overload
    def workflow(
        self,
        *,
        name: str | None = None,
        queue: str | None = None,
        retry: Retry = _ONCE,
        timeout: timedelta | None = None,
        max_lost: int = MAX_LOST,
        on_terminal: Hook[R] | None = None,
    ) -> Callable[[Function[P, R]], Workflow[P, R]]: ...

    def workflow(
        self,
        function: Function[P, R] | None = None,
        *,
        name: str | None = None,
        queue: str | None = None,
        retry: Retry = _ONCE,
        timeout: timedelta | None = None,
        max_lost: int = MAX_LOST,
        on_terminal: Hook[R] | None = None,
    ) -> Workflow[P, R] | Callable[[Function[P, R]], Workflow[P, R]]:
        """Declare a workflow of one action: bare, or with its own name, queue and policies.

        Its name is the function's, with dashes, and its queue is named as it is.
        """

        def declare(function: Function[P, R]) -> Workflow[P, R]:
            own = dashed(name_of(function)) if name is None else name
            lane = self._check(own, queue, retry, max_lost, on_terminal)
            if timeout is not None:
                check_span(timeout, f"The timeout of workflow {own!r}")
            made = workflow_of(
                function,
                name=own,
                queue=lane,
                retry=retry,
                timeout=timeout,
                max_lost=max_lost,
                on_terminal=on_terminal,
            )
            self._known[own] = made
            return made

        return declare if function is None else declare(function)

    @property
    def definitions(self) -> Mapping[str, Definition]:
        """Return every workflow by name; raises DefinitionError when one is not complete."""
        return {name: each.definition for name, each in self._known.items()}

    @property
    def queues(self) -> Mapping[str, QueuePolicy]:
        """Return every queue that is declared, by name."""
        return MappingProxyType(self._queues)

    def get(self, name: str) -> Definition:
        """Return a workflow; raises UnknownWorkflow."""
        known = self._known.get(name)
        if known is None:
            raise UnknownWorkflow(name, tuple(self._known))
        return known.definition

    def _check(
        self, name: str, queue: str | None, retry: object, max_lost: object, on_terminal: object
    ) -> str:
        """Return the workflow's queue, if what every workflow has makes sense."""
        check_defined_name(name, "A workflow's name")
        if name in self._known:
            raise DefinitionError(f"Two workflows are named {name!r}: rename one of them.")
        what = f"workflow {name!r}"
        queue = name if queue is None else queue
        check_defined_name(queue, f"The queue of {what}")
        check_retry(retry, what)
        check_count(max_lost, f"The max_lost of {what}", low=0)
        if on_terminal is not None:
            check_hook(on_terminal, f"The `on_terminal` of {what}")
        return queue
