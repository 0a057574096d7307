"""The state that an instance begins with."""

import inspect
from collections.abc import Callable
from typing import cast

from typing_extensions import TypeVar

from service.domain.errors import DefinitionError
from service.domain.payload import Codec
from service.domain.signature import shown

I = TypeVar("I")  # noqa: E741 - input
S = TypeVar("S")


def beginning(state: Codec[S], initial: Callable[[I], S] | None, what: str) -> Callable[[I], S]:
    """Return what makes a new instance's state: `initial`, given its input, or else `State()`.

    Raises DefinitionError when there is none.
    """
    if initial is not None:
        if not callable(initial) or inspect.iscoroutinefunction(initial):
            raise DefinitionError(
                f"The `initial` of {what} is {initial!r}: give a plain function that makes the "
                "state from the input."
            )
        return initial
    make = cast("Callable[[], S]", state.annotation)
    try:
        state.encode(make())
    except Exception as error:
        raise DefinitionError(
            f"The state of {what} can't begin as {shown(state.annotation)}() ({error}): give its "
            "fields defaults, or pass `initial=`, a function that makes the state from the input."
        ) from error
    return lambda _: make()
