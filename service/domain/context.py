"""What an action is given besides its params."""

from logging import Logger, LoggerAdapter
from typing import Protocol

from typing_extensions import TypeVar

S = TypeVar("S")


class Context(Protocol[S]):
    """The instance that an action works for.

    What is changed in `state` is kept at the next checkpoint; a retry starts again from the last.
    """

    state: S

    @property
    def instance_id(self) -> str:
        """Return the instance's id."""
        ...

    @property
    def workflow(self) -> str:
        """Return the workflow's name."""
        ...

    @property
    def action(self) -> str:
        """Return the action's name."""
        ...

    @property
    def attempt(self) -> int:
        """Return which try of this action it is, from 1."""
        ...

    @property
    def log(self) -> LoggerAdapter[Logger]:
        """Return a logger whose lines carry the instance's id."""
        ...
