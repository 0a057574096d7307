"""Everything that is refused, as a caller sees it; each message says what to do next.

* WorkflowError
  + UnknownWorkflow      UNKNOWN_WORKFLOW
  + InvalidParams        INVALID_PARAMS       with the path to each fault
  + IdempotencyConflict  IDEMPOTENCY_CONFLICT
  + SingletonConflict    SINGLETON_CONFLICT
  + NotFound             NOT_FOUND
  + InvalidState         INVALID_STATE
  + InvalidCursor        INVALID_CURSOR
  + CursorExpired        CURSOR_EXPIRED
  + PayloadTooLarge      PAYLOAD_TOO_LARGE
  + Unauthenticated      UNAUTHENTICATED
  + Forbidden            FORBIDDEN
  + LimitExceeded        LIMIT_EXCEEDED
  + Unavailable          UNAVAILABLE          says `maybeApplied`
  + Internal             INTERNAL             says `maybeApplied`; masked, with an id
* DefinitionError        a workflow that makes no sense, refused where it is written
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

PathPart = str | int


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a value: where, and what."""

    path: Sequence[PathPart]
    message: str

    def __str__(self) -> str:
        where = ".".join(str(part) for part in self.path)
        return f"{where}: {self.message}" if where else self.message


class WorkflowError(Exception):
    """Base of everything that this service refuses on purpose."""

    code: ClassVar[str] = "INTERNAL"

    @property
    def details(self) -> Mapping[str, object]:
        """Return what a program may read besides the code."""
        return {}


class UnknownWorkflow(WorkflowError):
    """No workflow of that name is registered in this process."""

    code = "UNKNOWN_WORKFLOW"

    def __init__(self, name: str, known: Sequence[str] = ()) -> None:
        listed = ", ".join(sorted(known)[:10]) or "none"
        super().__init__(
            f"No workflow named {name[:200]!r} is registered here. Registered: {listed}. "
            "Ask the `workflows` query for all of them."
        )


class InvalidParams(WorkflowError):
    """A value given by the caller doesn't fit; nothing was changed."""

    code = "INVALID_PARAMS"

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(str(fault) for fault in self.faults[:5]))

    @property
    def details(self) -> Mapping[str, object]:
        """Return the path and message of each fault."""
        return {"faults": [{"path": list(f.path), "message": f.message} for f in self.faults]}


class IdempotencyConflict(WorkflowError):
    """The key was used before, for something else."""

    code = "IDEMPOTENCY_CONFLICT"


class SingletonConflict(WorkflowError):
    """Another instance of the singleton key has not ended."""

    code = "SINGLETON_CONFLICT"


class NotFound(WorkflowError):
    """There is no such thing."""

    code = "NOT_FOUND"


class InvalidState(WorkflowError):
    """The instance is not where this can be done to it."""

    code = "INVALID_STATE"


class InvalidCursor(WorkflowError):
    """The cursor is not one of this log, or of this list."""

    code = "INVALID_CURSOR"


class CursorExpired(WorkflowError):
    """The events after the cursor were pruned."""

    code = "CURSOR_EXPIRED"


class PayloadTooLarge(WorkflowError):
    """A payload is above the limit."""

    code = "PAYLOAD_TOO_LARGE"

    def __init__(self, what: str, size: int, limit: int) -> None:
        super().__init__(
            f"{what} is {size:,} bytes of JSON, above the limit of {limit:,}. Keep large data "
            "elsewhere and pass a reference, or raise the `payload_limit` setting."
        )


class Unauthenticated(WorkflowError):
    """The caller has not said who they are."""

    code = "UNAUTHENTICATED"


class Forbidden(WorkflowError):
    """The caller may not do this."""

    code = "FORBIDDEN"


class LimitExceeded(WorkflowError):
    """The request is larger than this server allows."""

    code = "LIMIT_EXCEEDED"


class Unavailable(WorkflowError):
    """The database did not answer in time."""

    code = "UNAVAILABLE"

    def __init__(
        self, reason: str, *, maybe_applied: bool = True, advice: str | None = None
    ) -> None:
        self.reason = reason
        self.maybe_applied = maybe_applied
        self.advice = advice
        usual = (
            "It may have been applied: repeat it with the same requestID."
            if maybe_applied
            else "Nothing was changed: try again."
        )
        super().__init__(f"{reason} {advice or usual}")

    @property
    def details(self) -> Mapping[str, object]:
        """Return whether it may have been applied."""
        return {"maybeApplied": self.maybe_applied}


class Internal(WorkflowError):
    """Something broke here; the server's log tells under the id."""

    code = "INTERNAL"

    def __init__(self, error_id: str) -> None:
        self.error_id = error_id
        super().__init__(
            f"Something went wrong here, not in the request: the log of the server has it as "
            f"{error_id}. A mutation may have been applied: repeat it with the same requestID."
        )

    @property
    def details(self) -> Mapping[str, object]:
        """Return the id under which the log has it."""
        return {"maybeApplied": True, "errorID": self.error_id}


class DefinitionError(Exception):
    """A workflow's definition makes no sense; the message says how to mend it."""
