from functools import wraps
from typing import Annotated, Any

import pytest
from pydantic import Field

from service.domain.context import Context
from service.domain.errors import DefinitionError
from service.domain.signature import check_hook, name_of, read_signature, shown

Positive = Annotated[int, Field(gt=0)]


class State:
    pass


async def right(ctx: Context[State], params: int) -> str:
    return str(params)


async def as_text(ctx: "Context[State]", params: "dict[str, int]") -> "str | None": ...


async def with_default(ctx: Context[State], params: int = 5, *, extra: int = 1) -> str: ...


async def any_state(ctx: Context, params: Positive) -> None: ...


def plain(ctx: Context[State], params: int) -> str: ...


async def generator(ctx: Context[State], params: int):
    yield 1


async def one(ctx: Context[State]) -> str: ...


async def three(ctx: Context[State], params: int, more: int) -> str: ...


async def keyword(ctx: Context[State], params: int, *, more: int) -> str: ...


async def free(ctx: Context[State], *params: int) -> str: ...


async def bare(ctx, params) -> None: ...


async def no_return(ctx: Context[State], params: int): ...


async def other_state(ctx: Context[int], params: int) -> str: ...


async def no_context(ctx: int, params: int) -> str: ...


async def unknown(ctx: Context[State], params: "Missing") -> str: ...  # noqa: F821  # pyright: ignore[reportUndefinedVariable]


@pytest.mark.parametrize(
    ("function", "params", "returns"),
    [
        (right, int, str),
        (as_text, dict[str, int], str | None),
        (with_default, int, str),
        (any_state, Positive, type(None)),
    ],
)
def test_annotations_are_read(function: Any, params: object, returns: object) -> None:
    signature = read_signature(function, "Action 'x'", State)
    assert (signature.params, signature.returns) == (params, returns)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (plain, r"Action 'x' is not an async function: write it as `async def plain\(ctx: Context"),
        (generator, "without `yield`"),
        (5, "is not an async function"),
        (one, "must take a context and its params, and nothing else"),
        (three, "must take a context"),
        (keyword, "must take a context"),
        (free, "must take a context"),
        (bare, "no annotation for `ctx` and `params`"),
        (no_return, r"no annotation for its return: write it as `async def no_return\("),
        (other_state, r"takes a service.domain.context.Context\[int\], and the state is State"),
        (no_context, "takes a int, and the state is State"),
        (unknown, "can't be read .*'Missing' is not defined.*define what they name above it"),
    ],
)
def test_another_shape_is_refused_with_the_fix(function: Any, message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        read_signature(function, "Action 'x'", State)


def test_names_of_the_function_around_are_found() -> None:
    class Local:
        pass

    async def handler(ctx: "Context[Local]", params: "list[Local]") -> "Local": ...

    signature = read_signature(handler, "Action 'x'", Local)
    assert signature.params == list[Local]


def test_an_async_decorator_is_looked_through() -> None:
    @wraps(right)
    async def decorated(*args: Any, **kwargs: Any) -> Any:
        return await right(*args, **kwargs)

    assert read_signature(decorated, "Action 'x'", State).params is int


def test_names_and_annotations_are_shown_as_they_are_written() -> None:
    class Local:
        pass

    assert [shown(None.__class__), shown(Local), shown(list[int])] == ["None", "Local", "list[int]"]
    assert [name_of(right), name_of(5)] == ["right", "int"]


async def told(ended: object) -> None: ...


async def told_too_much(ended: object, more: object) -> None: ...


def test_a_hook_takes_how_the_instance_ended() -> None:
    check_hook(told, "The hook")
    for hook in (5, lambda _: None, plain):
        with pytest.raises(DefinitionError, match="The hook is not an async function"):
            check_hook(hook, "The hook")
    with pytest.raises(DefinitionError, match="is given how the instance ended, and nothing else"):
        check_hook(told_too_much, "The hook")
