"""What the runner gives an action."""

import logging
from typing import Any

from service.domain.instance import Claimed

_log = logging.getLogger("workflow")


class RunContext:
    """The context of one run of an action."""

    def __init__(self, held: Claimed, state: Any) -> None:
        self.state = state
        self._held = held

    @property
    def instance_id(self) -> str:
        """Return the instance's id."""
        return self._held.id

    @property
    def workflow(self) -> str:
        """Return the workflow's name."""
        return self._held.name

    @property
    def action(self) -> str:
        """Return the action's name."""
        return self._held.action

    @property
    def attempt(self) -> int:
        """Return which try of this action it is, from 1."""
        return self._held.attempts + 1

    @property
    def log(self) -> "logging.LoggerAdapter[logging.Logger]":
        """Return a logger whose lines carry the instance's id."""
        held = self._held
        extra = {"instance": held.id, "workflow": held.name, "action": held.action}
        return logging.LoggerAdapter(_log, extra)
