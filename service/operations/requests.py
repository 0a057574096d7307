"""The identity of a mutation, given by its caller or made here."""

from collections.abc import Sequence

from service.domain.canonical import digest
from service.domain.ids import IdSource
from service.domain.names import check_name
from service.store.requests import Request


def identify(
    new_id: IdSource, given: str | None, what: str, arguments: Sequence[object]
) -> Request:
    """Return the mutation's identity; only one that the caller chose can be repeated.

    `what` and `arguments` tell a repetition from another mutation under the same id. Raises
    `InvalidParams` for an id that can't be one.
    """
    if given is None:
        return Request(new_id(), kept=False, fingerprint="")
    check_name(given, "requestID")
    return Request(given, kept=True, fingerprint=digest([what, *arguments]))
