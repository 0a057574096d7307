"""From what an action came to, to the move that is written."""

import logging
import random
from collections.abc import Callable
from typing import Any, cast

from service.domain import transitions
from service.domain.action import Action
from service.domain.clock import micros
from service.domain.definition import Definition
from service.domain.errors import Fault, InvalidParams
from service.domain.instance import Claimed, Failure
from service.domain.outcome import End, Next
from service.domain.payload import check_size
from service.domain.transitions import Transition
from service.runtime.failures import failure_of, traceback_of

Random = Callable[[], float]

_log = logging.getLogger("workflow")


class Outcomes:
    """Decides which move follows an action."""

    def __init__(self, payload_limit: int, random: Random = random.random) -> None:  # noqa: TID251
        self._limit = payload_limit
        self._random = random
        self.stopping = False

    def returned(
        self, definition: Definition, held: Claimed, state: object, value: object
    ) -> Transition:
        """Return the move for what the action returned; what can't be kept fails the instance."""
        try:
            if isinstance(value, Next):
                return self._next(definition, held, state, value)
            if not isinstance(value, End):
                return self.broken(held, _stray(value))
            output = definition.output.encode(cast("End[Any]", value).result)
            check_size(output, "The output", self._limit)
        except BaseException as error:  # authors' types run code of theirs when they are written
            return self.broken(held, error)
        return transitions.complete(held, output)

    def raised(self, action: Action, held: Claimed, error: BaseException) -> Transition:
        """Return the move for what the action raised: a retry while attempts are left."""
        failure = _told(held, error)
        attempts = held.attempts + 1
        if attempts >= held.max_attempts or not action.retry.retries(error):
            return transitions.fail(held, failure)
        delay = action.retry.delay(attempts, self._random)
        return transitions.retry(held, failure, micros(delay))

    def broken(self, held: Claimed, error: BaseException) -> Transition:
        """Return the move for what no further attempt can mend."""
        return transitions.fail(held, _told(held, error))

    def _next(
        self, definition: Definition, held: Claimed, state: object, following: Next
    ) -> Transition:
        action = definition.actions.get(following.action)
        if action is None:
            fault = Fault((), f"goes on to {following.action!r}, which {definition.name!r} lacks")
            raise InvalidParams([fault])
        params = action.params.encode(following.params)
        check_size(params, "The params of the next action", self._limit)
        kept = definition.state.encode(state)
        check_size(kept, "The state", self._limit)
        later = 0 if following.after is None else micros(following.after)
        if later or self.stopping:
            return transitions.hand_over(
                held,
                action=action.name,
                params=params,
                state=kept,
                max_attempts=action.retry.max_attempts,
                delay=later,
            )
        return transitions.checkpoint(
            held,
            action=action.name,
            params=params,
            state=kept,
            max_attempts=action.retry.max_attempts,
        )


def _told(held: Claimed, error: BaseException) -> Failure:
    """Return the record of a failed attempt, and tell its author where it failed."""
    failure = failure_of(held, error)
    _log.warning(
        "Attempt %d failed: %s\n%s",
        failure.attempt,
        failure.summary,
        traceback_of(error),
        extra={"instance": held.id, "workflow": held.name, "action": held.action},
    )
    return failure


def _stray(value: object) -> TypeError:
    return TypeError(
        f"The action returned {type(value).__qualname__}: return End(output), or another action's "
        "`.next(params)`."
    )
