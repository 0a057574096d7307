"""One instance as a caller holds it: await its result, follow it, cancel it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar, overload

from pydantic import TypeAdapter

from service.client.errors import RequestRefused, WorkflowCancelled, WorkflowFailed
from service.client.models import Cancelled, Event, Instance
from service.domain.events import TERMINAL
from service.domain.instance import Status

if TYPE_CHECKING:
    from service.client.client import Client

T = TypeVar("T")
Span = timedelta | float | None
"""A span of time; a bare number is seconds, None is for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Handle:
    """An instance, as it stood when the handle was made.

    `created` is False when an enqueue found its key in use and gave that instance back. Every
    event after `cursor` came later than `instance`.
    """

    instance: Instance
    cursor: str
    created: bool
    client: "Client" = field(repr=False, compare=False)

    @property
    def id(self) -> str:
        """Return the instance's id."""
        return self.instance.id

    @overload
    async def result(self, *, timeout: Span = None) -> Any: ...  # noqa: ASYNC109 - the usual word
    @overload
    async def result(self, into: type[T], *, timeout: Span = None) -> T: ...  # noqa: ASYNC109
    async def result(self, into: type[Any] | None = None, *, timeout: Span = None) -> Any:  # noqa: ASYNC109
        """Wait until the instance ended and return its output: plain JSON, or an `into`.

        `timeout` is a span or seconds. Raises `WorkflowFailed`, `WorkflowCancelled`, TimeoutError
        (the instance goes on), and what `Client.watch` raises.
        """
        seconds = timeout.total_seconds() if isinstance(timeout, timedelta) else timeout
        try:
            async with asyncio.timeout(seconds):
                ended = await self._ended()
        except TimeoutError:
            raise TimeoutError(
                f"{self.instance.name} {self.id} has not ended in {seconds:g} s. It goes on: "
                "await the result again, or cancel it."
            ) from None
        if ended.status is Status.FAILED:
            raise WorkflowFailed(ended)
        if ended.status is Status.CANCELLED:
            raise WorkflowCancelled(ended)
        return ended.output if into is None else TypeAdapter(into).validate_python(ended.output)

    async def watch(self) -> AsyncGenerator[Event]:
        """Yield the events after `cursor`, up to the one that ends the instance."""
        if self.instance.ended:
            return
        async with aclosing(self.client.watch(self.id, after=self.cursor)) as events:
            async for event in events:
                yield event
                if event.type in TERMINAL:
                    return

    async def cancel(self) -> Cancelled:
        """Ask for the instance's end."""
        return await self.client.cancel(self.id)

    async def _ended(self) -> Instance:
        instance, after = self.instance, self.cursor
        while not instance.ended:
            try:
                await self._terminal_event(after)
            except RequestRefused as refusal:
                if refusal.code != "CURSOR_EXPIRED":
                    raise
            instance = await self.client.get(self.id) or self._vanished()
            after = instance.cursor
        return instance

    async def _terminal_event(self, after: str) -> None:
        events = self.client.watch(self.id, types=TERMINAL, after=after)
        async with aclosing(events):
            await anext(events)

    def _vanished(self) -> Instance:
        raise RequestRefused("NOT_FOUND", f"{self.instance.name} {self.id} ended and was pruned.")
