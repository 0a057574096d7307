"""One handler of a workflow; what it returns decides the next transition."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic

from typing_extensions import TypeVar

from service.domain.context import Context
from service.domain.outcome import End, Next
from service.domain.payload import Codec
from service.domain.retry import Retry

P = TypeVar("P", default=Any)

AnyHandler = Callable[[Context[Any], Any], Coroutine[Any, Any, Next | End[Any]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Action(Generic[P]):
    """A handler, what it is given, how it is retried, and how long one try may take.

    `timeout` None is without bound.
    """

    name: str
    handler: AnyHandler
    params: Codec[P]
    retry: Retry
    timeout: timedelta | None

    def next(self, params: P, *, after: timedelta | None = None) -> Next:
        """Return the outcome that goes on to this action, at once or after a while.

        Raises ValueError when `after` is below zero or above a hundred years.
        """
        return Next(self.name, params, after)
