"""A workflow: its actions, its types, its policies, and what a new instance of it starts with."""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Generic

from pydantic_core import from_json
from typing_extensions import TypeVar

from service.domain.action import Action
from service.domain.canonical import digest
from service.domain.checks import is_whole
from service.domain.errors import Fault, InvalidParams
from service.domain.instance import Launch, OnConflict, Status
from service.domain.limits import LARGEST_PRIORITY, SMALLEST_PRIORITY
from service.domain.names import name_fault
from service.domain.payload import Codec, check_size
from service.domain.retry import Retry

I = TypeVar("I", default=Any)  # noqa: E741 - input
O = TypeVar("O", default=Any)  # noqa: E741 - output


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended(Generic[O]):
    """How an instance ended, as its `on_terminal` hook is told.

    `output` is None unless it completed, `error` is None unless it failed.
    """

    instance_id: str
    name: str
    status: Status
    output: O | None
    error: str | None


Hook = Callable[[Ended[O]], Coroutine[Any, Any, None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition(Generic[I, O]):
    """A workflow as the service knows it.

    `initial_state` makes the state of an instance from its input. After `max_lost` lost workers in
    one visit the next loss ends an instance.
    """

    name: str
    queue: str
    actions: Mapping[str, Action]
    initial_action: str
    input: Codec[I]
    state: Codec[Any]
    output: Codec[O]
    initial_state: Callable[[I], object]
    max_lost: int
    on_terminal: Hook[O] | None

    @property
    def retry(self) -> Retry:
        """Return how the first action is retried."""
        return self.actions[self.initial_action].retry

    def launch(
        self,
        *,
        id: str,
        params: object,
        payload_limit: int,
        queue: str | None = None,
        priority: int | None = None,
        idempotency_key: str | None = None,
        singleton_key: str | None = None,
        on_conflict: OnConflict = OnConflict.RETURN,
    ) -> Launch:
        """Return what a new instance starts with.

        `params` is plain JSON data or a value of the input's type; `payload_limit` is in bytes.
        Raises InvalidParams with every fault, or PayloadTooLarge.
        """
        faults = [
            *_name_faults(queue, "queue"),
            *_name_faults(idempotency_key, "idempotencyKey"),
            *_name_faults(singleton_key, "singletonKey"),
            *_priority_faults(priority),
        ]
        text = ""
        try:
            text = self.input.encode(self.input.validate(params))
        except InvalidParams as error:
            faults += [Fault(("params", *fault.path), fault.message) for fault in error.faults]
        if faults:
            raise InvalidParams(faults)
        check_size(text, "params", payload_limit)
        return Launch(
            id=id,
            name=self.name,
            queue=self.queue if queue is None else queue,
            priority=0 if priority is None else priority,
            action=self.initial_action,
            input=text,
            max_attempts=self.retry.max_attempts,
            max_lost=self.max_lost,
            hooked=self.on_terminal is not None,
            idempotency_key=idempotency_key,
            params_digest=None if idempotency_key is None else _digest(params, text),
            singleton_key=singleton_key,
            on_conflict=on_conflict,
        )


def _digest(params: object, text: str) -> str:
    """Return the digest of what the caller gave, whatever defaults the input's type adds."""
    try:
        return digest(params)
    except (TypeError, ValueError, RecursionError):
        return digest(from_json(text))


def _name_faults(value: str | None, field: str) -> list[Fault]:
    message = None if value is None else name_fault(value)
    return [] if message is None else [Fault((field,), message)]


def _priority_faults(value: object) -> list[Fault]:
    if value is None or is_whole(value, SMALLEST_PRIORITY, LARGEST_PRIORITY):
        return []
    message = f"must be a whole number from {SMALLEST_PRIORITY} to {LARGEST_PRIORITY}"
    return [Fault(("priority",), message)]
