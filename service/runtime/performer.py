"""Performs one action of a held instance, and says which move follows."""

import asyncio
from typing import Any

from service.domain import transitions
from service.domain.action import Action
from service.domain.clock import Clock
from service.domain.definition import Definition
from service.domain.errors import WorkflowError
from service.domain.instance import Claimed
from service.domain.registry import Workflows as Registry
from service.domain.transitions import Transition
from service.runtime.context import RunContext
from service.runtime.holding import Holding, Reason
from service.runtime.outcomes import Outcomes


class ActionTimeout(Exception):
    """The action ran longer than its timeout."""


class UnknownAction(WorkflowError):
    """The workflow has no action of that name any more."""


class Performer:
    """Runs authors' code: whatever it raises ends in a move, never outside."""

    def __init__(self, registry: Registry, clock: Clock, outcomes: Outcomes) -> None:
        self._registry = registry
        self._clock = clock
        self._outcomes = outcomes

    async def perform(self, holding: Holding) -> None:
        """Run the action that is due, and leave in `holding.move` what follows.

        That is None when the lease was lost and nothing may be written. It isn't returned, since a
        GeneratorExit out of a future that an author awaits is thrown at every coroutine that waits
        for the author's: what they return then is lost.
        """
        held = holding.held
        holding.move = None
        try:
            definition = self._registry.get(held.name)
            action = _action(definition, held.action)
            params = action.params.decode(held.params)
            known = None if held.state is None else definition.state.decode(held.state)
            first = definition.input.decode(held.input) if held.state is None else None
        except BaseException as error:  # authors' types run code of theirs when they are read
            holding.move = self._outcomes.broken(held, error)
            return
        try:
            state = definition.initial_state(first) if held.state is None else known
        except BaseException as error:
            holding.move = self._outcomes.raised(action, held, error)
            return
        context = RunContext(held, state)
        timer = self._timer(holding, action)
        value: object = None
        error: BaseException | None = None
        try:
            if holding.begin():
                value = await action.handler(context, params)
        except BaseException as raised:
            error = raised
        finally:
            await holding.end()
            if timer is not None:
                timer.cancel()
        holding.move = self._move(holding, definition, action, context.state, value, error)

    def _move(
        self,
        holding: Holding,
        definition: Definition,
        action: Action[Any],
        state: object,
        value: object,
        error: BaseException | None,
    ) -> Transition | None:
        held: Claimed = holding.held
        match holding.reason:
            case Reason.LOST:
                return None
            case Reason.CANCELLED:
                return transitions.abort(held)
            case Reason.TIMED_OUT:
                late = ActionTimeout(f"{action.name} ran longer than its timeout, {action.timeout}")
                return self._outcomes.raised(action, held, late)
            case Reason.STOPPING if error is not None or not holding.performed:
                return transitions.release(held)
            case _:
                pass
        if error is not None:
            return self._outcomes.raised(action, held, error)
        return self._outcomes.returned(definition, held, state, value)

    def _timer(self, holding: Holding, action: Action[Any]) -> asyncio.Task[None] | None:
        if action.timeout is None:
            return None
        seconds = action.timeout.total_seconds()
        return asyncio.create_task(self._expire(holding, seconds), name="action timeout")

    async def _expire(self, holding: Holding, seconds: float) -> None:
        await self._clock.sleep(seconds)
        while True:
            holding.interrupt(Reason.TIMED_OUT)
            await self._clock.sleep(1.0)


def _action(definition: Definition, name: str) -> Action[Any]:
    action = definition.actions.get(name)
    if action is None:
        raise UnknownAction(
            f"Workflow {definition.name!r} has no action {name!r} any more: bring it back, then "
            "retry the instance, or enqueue a new one."
        )
    return action
