"""When a failed action is tried again, and after how long."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, cast, get_args

from service.domain.checks import check_count, check_span
from service.domain.clock import MICROSECOND, micros
from service.domain.errors import DefinitionError

Backoff = Literal["exponential", "fixed"]

_DOUBLINGS = 64


@dataclass(frozen=True, slots=True)
class Retry:
    """How often an action is tried, and how long it waits between; raises DefinitionError.

    `max_attempts` counts the first try too. An `exponential` backoff doubles from `base` up to
    `cap`; a `fixed` one is always `base`. `jitter` is the part of each delay that chance may take
    off. An error in `not_on` fails the instance at once; so does a group that holds one.
    """

    max_attempts: int = 1
    backoff: Backoff = "exponential"
    base: timedelta = timedelta(seconds=1)
    cap: timedelta = timedelta(hours=1)
    jitter: float = 0.1
    not_on: tuple[type[BaseException], ...] = ()

    def __post_init__(self) -> None:
        check_count(self.max_attempts, "Retry's max_attempts")
        if self.backoff not in get_args(Backoff):
            raise DefinitionError(
                f"Retry's backoff is {self.backoff!r}: give 'exponential' or 'fixed'."
            )
        check_span(self.base, "Retry's base")
        check_span(self.cap, "Retry's cap")
        if self.base > self.cap:
            raise DefinitionError(
                f"Retry's base is {self.base}, above its cap of {self.cap}: raise the cap."
            )
        _check_jitter(self.jitter)
        _check_errors(self.not_on)

    def delay(self, attempt: int, random: Callable[[], float]) -> timedelta:
        """Return how long to wait after failed attempt `attempt`, which counts from 1.

        `random` gives a number from 0 to 1. The delay is above zero and never above the cap.
        """
        cap = micros(self.cap)
        full = micros(self.base)
        if self.backoff == "exponential":
            full = min(cap, full << min(max(attempt - 1, 0), _DOUBLINGS))
        taken = int(full * self.jitter * random())
        return max(1, min(cap, full - taken)) * MICROSECOND

    def retries(self, error: BaseException) -> bool:
        """Return whether the error may be tried again while attempts are left."""
        if not self.not_on:
            return True
        if isinstance(error, BaseExceptionGroup):
            group = cast("BaseExceptionGroup[BaseException]", error)
            return group.subgroup(self.not_on) is None
        return not isinstance(error, self.not_on)


def _check_jitter(value: object) -> None:
    fits = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not fits or not 0 <= cast("float", value) <= 1:
        raise DefinitionError(
            f"Retry's jitter is {value!r}: give a number from 0 to 1, such as 0.1 for 10%."
        )


def _check_errors(value: object) -> None:
    errors = cast("tuple[object, ...]", value) if isinstance(value, tuple) else None
    if errors is None or not all(
        isinstance(error, type) and issubclass(error, BaseException) for error in errors
    ):
        raise DefinitionError(
            f"Retry's not_on is {value!r}: give a tuple of exception classes, "
            "such as (ValueError,)."
        )


def check_retry(value: object, what: str) -> None:
    """Refuse what is not a retry policy; raises DefinitionError."""
    if not isinstance(value, Retry):
        raise DefinitionError(
            f"The retry of {what} is {value!r}: give a Retry, such as Retry(max_attempts=5)."
        )
