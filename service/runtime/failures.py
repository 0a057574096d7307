"""What is kept of an exception: its type and message as text, never the object."""

from collections.abc import Iterator
from traceback import format_exception
from typing import cast

from service.domain.instance import Claimed, Failure

_LONGEST = 4_000
_LONGEST_TRACEBACK = 4_000


def describe(error: BaseException) -> tuple[str, str]:
    """Return the type's name and the message; a group's message tells of every member."""
    name = _printable(type(error).__qualname__)
    members = list(_members(error))
    if members:
        told = "; ".join(f"{type(m).__qualname__}: {_message(m)}" for m in members)
        return name, _printable(f"{_message(error)}: {told}")
    return name, _printable(_message(error))


def failure_of(held: Claimed, error: BaseException) -> Failure:
    """Return the record of a failed attempt."""
    name, message = describe(error)
    return Failure(
        instance_id=held.id,
        fence=held.fence,
        visit=held.visit,
        action=held.action,
        attempt=held.attempts + 1,
        error_type=name,
        message=message,
    )


def traceback_of(error: BaseException) -> str:
    """Return where the error was raised, as text that every log takes."""
    return _printable("".join(format_exception(error))[-_LONGEST_TRACEBACK:])


def _members(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for member in cast("BaseExceptionGroup[BaseException]", error).exceptions:
            inner = list(_members(member))
            yield from inner or [member]


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException as broken:
        return f"(its message can't be told: __str__ raised {type(broken).__qualname__})"


def _printable(text: str) -> str:
    """Return text that every database and every JSON reader takes."""
    return text[:_LONGEST].replace("\0", "\ufffd").encode("utf-8", "replace").decode()
