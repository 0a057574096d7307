"""What the annotations of an author's function say."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args, get_origin, get_type_hints

from service.domain.context import Context
from service.domain.errors import DefinitionError

_PACKAGE = __name__.rpartition(".")[0]
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_FREE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True, slots=True)
class Signature:
    """The annotations of a handler: its params and what it returns."""

    params: object
    returns: object


def check_async(function: object, what: str, shape: str) -> None:
    """Refuse what is not an `async def` function; raises DefinitionError."""
    if not inspect.iscoroutinefunction(function):
        raise DefinitionError(
            f"{what} is not an async function: write it as `{shape}`, without `yield`, and let "
            "its decorators be async functions too."
        )


def read_signature(function: Callable[..., Any], what: str, state: object) -> Signature:
    """Return what `async def f(ctx: Context[state], params: P) -> R` is annotated with.

    Raises DefinitionError, which `what` begins, when it has another shape.
    """
    shape = f"async def {name_of(function)}(ctx: Context[{shown(state)}], params: …) -> …"
    check_async(function, what, shape)
    parameters = list(inspect.signature(function).parameters.values())
    if [p for p in parameters if p.kind in _FREE] or not _takes_two(parameters):
        raise DefinitionError(
            f"{what} must take a context and its params, and nothing else: write it as `{shape}`, "
            "with `params: None` if it needs none."
        )
    hints = _hints(function, what)
    names = [parameters[0].name, parameters[1].name, "return"]
    missing = [name for name in names if name not in hints]
    if missing:
        listed = " and ".join("its return" if n == "return" else f"`{n}`" for n in missing)
        raise DefinitionError(f"{what} has no annotation for {listed}: write it as `{shape}`.")
    context, params, returns = (hints[name] for name in names)
    if context is not Context and (get_origin(context), get_args(context)) != (Context, (state,)):
        raise DefinitionError(
            f"{what} takes a {shown(context)}, and the state is {shown(state)}: write it as "
            f"`{shape}`."
        )
    return Signature(params, returns)


def check_hook(hook: object, what: str) -> None:
    """Refuse a hook that is not `async def f(ended: Ended[…]) -> None`; raises DefinitionError."""
    shape = f"async def {name_of(hook)}(ended: Ended[…]) -> None"
    check_async(hook, what, shape)
    try:
        inspect.signature(cast("Callable[..., Any]", hook)).bind(object())
    except TypeError as error:
        raise DefinitionError(
            f"{what} is given how the instance ended, and nothing else: write it as `{shape}`."
        ) from error


def name_of(function: object) -> str:
    """Return the name that a function was written with."""
    return str(getattr(function, "__name__", type(function).__name__))


def shown(annotation: object) -> str:
    """Return an annotation as it is written."""
    if annotation is type(None):
        return "None"
    if isinstance(annotation, type) and not get_args(annotation):
        return annotation.__qualname__.rpartition("<locals>.")[2]
    return repr(annotation)


def _takes_two(parameters: list[inspect.Parameter]) -> bool:
    positional = [p for p in parameters if p.kind in _POSITIONAL]
    return len(positional) == 2 and all(
        p in positional or p.default is not inspect.Parameter.empty for p in parameters
    )


def _hints(function: Callable[..., Any], what: str) -> Mapping[str, object]:
    try:
        return get_type_hints(function, localns=_names_around(), include_extras=True)
    except Exception as error:
        raise DefinitionError(
            f"The annotations of {what} can't be read ({error}): define what they name above it, "
            "and import it outside of `if TYPE_CHECKING`."
        ) from error


def _names_around() -> dict[str, object]:
    """Return the local names where the author's code declares, for annotations kept as text."""
    frame = inspect.currentframe()
    while frame is not None and str(frame.f_globals.get("__name__")).startswith(_PACKAGE):
        frame = frame.f_back
    return dict(frame.f_locals) if frame is not None else {}
