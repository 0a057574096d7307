"""One operation, ready to be executed: once, or for each payload that its source hands over."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Sequence
from contextlib import aclosing, nullcontext
from typing import Any, cast

import graphql
from graphql import ExecutionResult, Executor, OperationType
from strawberry.execution import optimized_is_awaitable

from service.domain.events import Event
from service.graphql.context import Context
from service.graphql.encoding import encode
from service.graphql.errors import Refused, show, show_exception
from service.graphql.sharing import Answer, Shared

Response = dict[str, Any]
"""What GraphQL calls a response: data, errors, or both."""

_Source = AsyncGenerator[Sequence[object]]

_library = cast("Any", graphql)  # its own types are incomplete here


class Execution:
    """An operation with its variables."""

    def __init__(self, executor: Executor[Context], shared: Shared | None) -> None:
        self._executor: Any = executor
        self._shared = shared

    @property
    def kind(self) -> OperationType:
        """Return whether it is a query, a mutation or a subscription."""
        return self._executor.operation.operation

    async def respond(self) -> Response:
        """Execute a query or a mutation."""
        result = self._executor.execute_operation()
        if optimized_is_awaitable(result):
            result = await result
        return _response(result)

    async def follow(self) -> AsyncGenerator[Sequence[str]]:
        """Yield a subscription's responses as JSON texts, as many at a time as there are.

        Raises Refused when its source can't begin, or breaks.
        """
        with self._shared.reading() if self._shared else nullcontext():
            try:
                async with aclosing(await self._source()) as source:
                    async for payloads in source:
                        yield await self._answers(payloads)
            except Refused:
                raise
            except Exception as error:
                raise Refused([show_exception(error)]) from error

    async def _source(self) -> _Source:
        source = _library.create_source_event_stream(self._executor)
        if optimized_is_awaitable(source):
            source = await source
        if isinstance(source, ExecutionResult):
            raise Refused(show(error) for error in source.errors or ())
        return source

    async def _answers(self, payloads: Sequence[object]) -> Sequence[str]:
        context: Context = self._executor.context_value.fresh()
        answers = [self._answer(payload, context) for payload in payloads]
        for index, answer in enumerate(answers):
            if not isinstance(answer, str):
                answers[index] = await asyncio.shield(answer)
        return cast("list[str]", answers)

    def _answer(self, payload: object, context: Context) -> Answer:
        if self._shared is None or not isinstance(payload, Event):
            return self._execute(payload, context)
        answer = self._shared.get(payload.position)
        if answer is None:
            answer = self._execute(payload, context)
            self._shared.put(payload.position, answer)
        return answer

    def _execute(self, payload: object, context: Context) -> Answer:
        executor = self._executor.build_per_event_executor(payload)
        executor.context_value = context.beside()
        result = executor.execute_operation(serially=False)
        if optimized_is_awaitable(result):
            return asyncio.ensure_future(_later(result))
        return _text(result)


async def _later(result: Awaitable[ExecutionResult]) -> str:
    return _text(await result)


def _text(result: ExecutionResult) -> str:
    return encode(_response(result)).decode()


def _response(result: ExecutionResult) -> Response:
    if not result.errors:
        return {"data": result.data}
    return {"errors": [show(error) for error in result.errors], "data": result.data}
