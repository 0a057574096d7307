"""Names and keys: kept exactly as they are given, or refused."""

from service.domain.errors import DefinitionError, Fault, InvalidParams
from service.domain.limits import NAME_LENGTH
from service.domain.plain import text_fault


def name_fault(value: object) -> str | None:
    """Return what is wrong with a name or key, or None.

    It has 1 to 200 characters of any script, not only blanks. Nothing is trimmed or normalised.
    """
    if not isinstance(value, str):
        return f"must be text, not {type(value).__name__}"
    if not value:
        return "is empty: give 1 to 200 characters"
    if len(value) > NAME_LENGTH:
        return f"has {len(value):,} characters: give at most {NAME_LENGTH}"
    if not value.strip():
        return "has only blanks: give it a character that can be seen"
    return text_fault(value)


def check_name(value: object, what: str) -> str:
    """Return the name; raises InvalidParams with the path `what` when it can't be one."""
    message = name_fault(value)
    if message is not None:
        raise InvalidParams([Fault((what,), message)])
    return str(value)


def check_defined_name(value: object, what: str) -> str:
    """Return the name; raises DefinitionError when it can't be one. `what` begins the message."""
    message = name_fault(value)
    if message is not None:
        raise DefinitionError(f"{what} {message}.")
    return str(value)


def dashed(name: str) -> str:
    """Return the name that a function's name stands for: `fulfil_order` is `fulfil-order`."""
    return name.replace("_", "-")
