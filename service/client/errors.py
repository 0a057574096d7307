"""Everything that a call of the client may raise; each message says what to do next.

* ClientError
  + RequestRefused       the server said no: `code`, `message`, `extensions`
  + ConnectionFailed     no answer, however often it was tried
  + UnexpectedAnswer     what answered is not this service's GraphQL
  + WorkflowEnded
    - WorkflowFailed     the awaited instance ended FAILED
    - WorkflowCancelled  the awaited instance ended CANCELLED

A `timeout` that ran out is Python's own `TimeoutError`.
"""

from collections.abc import Mapping
from typing import ClassVar

from service.client.models import Instance


class ClientError(Exception):
    """Base of everything that the client raises on purpose."""


class RequestRefused(ClientError):
    """The server answered with an error; `code` is one of the codes that the docs list."""

    def __init__(
        self, code: str, message: str, extensions: Mapping[str, object] | None = None
    ) -> None:
        self.code = code
        self.message = message
        self.extensions: Mapping[str, object] = extensions or {}
        super().__init__(f"{code}: {message}")


class ConnectionFailed(ClientError):
    """No answer came. What was asked may have been done: `request_id` tells it apart.

    A call that is repeated with the same `request_id` does nothing twice.
    """

    def __init__(self, url: str, reason: str, request_id: str | None = None) -> None:
        self.url = url
        self.reason = reason
        self.request_id = request_id
        again = f" Repeat the call with request_id={request_id!r} to be sure." if request_id else ""
        reason = reason.rstrip(".")
        super().__init__(
            f"No answer from {url}: {reason}. Check the address, and that it runs.{again}"
        )


class UnexpectedAnswer(ClientError):
    """Something answers, in another language."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"This is not the GraphQL of a workflow service: {what}. Check the address: it ends in "
            "/graphql by default. Check that client and server are of one version."
        )


class WorkflowEnded(ClientError):
    """The awaited instance ended without an output; `instance` tells how."""

    fate: ClassVar[str]

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        because = f": {instance.last_error.rstrip('.')}" if instance.last_error else ""
        super().__init__(
            f"{instance.name} {instance.id} {self.fate}{because}. "
            "`retry` puts it back at its last checkpoint."
        )


class WorkflowFailed(WorkflowEnded):
    """The awaited instance ended FAILED."""

    fate = "failed"


class WorkflowCancelled(WorkflowEnded):
    """The awaited instance ended CANCELLED."""

    fate = "was cancelled"
