"""Between the client's types and the JSON that travels."""

from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_jsonable_python

from service.client.errors import RequestRefused, UnexpectedAnswer
from service.client.models import Event, Failure, Instance, Queue
from service.domain.instance import CancelOutcome

T = TypeVar("T")


class Decoder(Generic[T]):
    """Reads one kind of thing from an answer."""

    def __init__(self, kind: type[T]) -> None:
        self._adapter = TypeAdapter(kind)

    def __call__(self, value: Any) -> T:
        """Return the thing, or raise `UnexpectedAnswer`."""
        try:
            return self._adapter.validate_python(value)
        except ValidationError as error:
            raise UnexpectedAnswer(f"its answer doesn't fit this client ({error})") from error


instance_of = Decoder(Instance)
event_of = Decoder(Event)
failure_of = Decoder(Failure)
queue_of = Decoder(Queue)
outcome_of = Decoder(CancelOutcome)


def encode(params: object) -> object:
    """Return the value as plain JSON: dataclasses, TypedDicts and pydantic models all work."""
    try:
        return to_jsonable_python(params, by_alias=True)
    except (PydanticSerializationError, ValueError, RecursionError) as error:
        raise RequestRefused(
            "INVALID_PARAMS",
            f"The params can't be written as JSON: {error}. "
            "Give plain values, a dataclass or a pydantic model.",
        ) from error
