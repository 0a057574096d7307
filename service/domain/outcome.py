"""What an action returns: where to go next, or the end."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Generic

from typing_extensions import TypeVar

from service.domain.limits import LONGEST_SPAN

O = TypeVar("O", covariant=True)  # noqa: E741 - output


@dataclass(frozen=True, slots=True)
class Next:
    """Go on to an action with these params, at once or after a while: made by `Action.next`.

    Raises ValueError when `after` is below zero or above a hundred years.
    """

    action: str
    params: object
    after: timedelta | None = None

    def __post_init__(self) -> None:
        if self.after is not None and not timedelta(0) <= self.after <= LONGEST_SPAN:
            raise ValueError(
                f"The next action is due after {self.after}: give a timedelta from zero to "
                f"{LONGEST_SPAN.days:,} days, or leave it out to go on at once."
            )


@dataclass(frozen=True, slots=True)
class End(Generic[O]):
    """End the instance well, with this output."""

    result: O
