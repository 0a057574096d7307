"""GraphQL over a WebSocket, as graphql-transport-ws has it: many operations on one connection.

Each operation is a task. However it ends, by the client's `complete`, with the socket or by
itself, its source is closed at once, also while nothing comes out of it.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import Any, cast

from graphql import OperationType

from service.domain.errors import LimitExceeded
from service.graphql.asking import GraphQL, Question
from service.graphql.encoding import encode
from service.graphql.errors import Refused, Shown, show_exception
from service.web.reading import question_of, read_json
from service.web.wire import BAD_MESSAGE, Over, Wire

PROTOCOL = "graphql-transport-ws"
INIT_SECONDS = 10.0

UNAUTHORIZED = 4401
UNKNOWN_PROTOCOL = 4406
INIT_TIMEOUT = 4408
DUPLICATE = 4409
SECOND_INIT = 4429

Message = Mapping[str, Any]


class Socket:
    """One connection, and the operations that run on it, at most `limit` at a time."""

    def __init__(self, graphql: GraphQL, wire: Wire, limit: int) -> None:
        self._graphql = graphql
        self._wire = wire
        self._limit = limit
        self._operations: dict[str, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._acknowledged = False

    async def run(self, protocols: Sequence[str]) -> None:
        """Talk until either side ends it, and leave nothing behind."""
        try:
            await self._shake_hands(protocols)
            while True:
                await self._take(await self._wire.read())
        except Over as over:
            if over.code is not None:
                await self._wire.close(over.code, over.reason)
        finally:
            await self._end_all()

    async def _shake_hands(self, protocols: Sequence[str]) -> None:
        spoken = PROTOCOL in protocols
        await self._wire.accept(PROTOCOL if spoken else None)
        if not spoken:
            raise Over(UNKNOWN_PROTOCOL, f"Only {PROTOCOL} is spoken here")
        try:
            async with asyncio.timeout(INIT_SECONDS):
                while not self._acknowledged:
                    await self._take(await self._wire.read())
        except TimeoutError:
            raise Over(INIT_TIMEOUT, "Connection initialisation timeout") from None

    async def _take(self, text: str) -> None:
        message, fault = _read(text)
        match message.get("type"):
            case "subscribe" if self._acknowledged:
                await self._begin(_id(message), message.get("payload"), fault)
            case "subscribe":
                raise Over(UNAUTHORIZED, "Send connection_init first")
            case _ if fault is not None:
                raise Over(BAD_MESSAGE, "Messages are JSON objects")
            case "complete":
                self._end(_id(message))
            case "ping":
                await self._wire.write(_text({**message, "type": "pong"}))
            case "pong":
                return
            case "connection_init":
                await self._acknowledge(message.get("payload"))
            case other:
                raise Over(BAD_MESSAGE, f"Unknown message type {str(other)[:40]!r}")

    async def _acknowledge(self, payload: object) -> None:
        if self._acknowledged:
            raise Over(SECOND_INIT, "Too many initialisation requests")
        if payload is not None and not isinstance(payload, dict):
            raise Over(BAD_MESSAGE, "The payload of connection_init is no object")
        self._acknowledged = True
        await self._wire.write('{"type":"connection_ack"}')

    async def _begin(self, key: str, payload: object, fault: Refused | None) -> None:
        if key in self._operations:
            raise Over(DUPLICATE, f"Subscriber for {key[:40]} already exists")
        try:
            if fault is not None:
                raise fault
            self._check_room()
            question = question_of(payload)
        except Refused as refused:
            await self._wire.write(_error(key, refused.errors))
            return
        task = asyncio.create_task(self._operate(key, question))
        self._operations[key] = task
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _check_room(self) -> None:
        if len(self._operations) >= self._limit:
            error = LimitExceeded(
                f"{self._limit} operations are running on this WebSocket. End one of them first."
            )
            raise Refused([show_exception(error)])

    async def _operate(self, key: str, question: Question) -> None:
        try:
            await self._execute(key, question)
            last = _text({"id": key, "type": "complete"})
        except Over:
            return
        except Refused as refused:
            last = _error(key, refused.errors)
        except Exception as error:
            last = _error(key, [show_exception(error)])
        self._operations.pop(key, None)
        try:
            await self._wire.write(last)
        except Over:
            return

    async def _execute(self, key: str, question: Question) -> None:
        head = f'{{"id":{json.dumps(key)},"type":"next","payload":'
        execution = self._graphql.prepare(question)
        if execution.kind is not OperationType.SUBSCRIPTION:
            response = encode(await execution.respond()).decode()
            await self._wire.write(f"{head}{response}}}")
            return
        async with aclosing(execution.follow()) as responses:
            async for texts in responses:
                for text in texts:
                    await self._wire.write(f"{head}{text}}}")
                await asyncio.sleep(0)  # noqa: TID251 - a turn for the others, whatever the time

    def _end(self, key: str) -> None:
        task = self._operations.pop(key, None)
        if task is not None:
            task.cancel()

    async def _end_all(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)


def _read(text: str) -> tuple[Message, Refused | None]:
    """Return the message, and what is wrong with it; it may still tell which operation it is of."""
    fault: Refused | None = None
    try:
        value = read_json(text)
    except Refused as refused:
        fault = refused
        value = _loosely(text)
    if not isinstance(value, dict):
        raise Over(BAD_MESSAGE, "Messages are JSON objects")
    return cast("Message", value), fault


def _loosely(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _id(message: Message) -> str:
    key = message.get("id")
    if not isinstance(key, str) or not key:
        raise Over(BAD_MESSAGE, "The message has no id")
    return key


def _error(key: str, errors: Sequence[Shown]) -> str:
    return _text({"id": key, "type": "error", "payload": errors})


def _text(message: object) -> str:
    return encode(message).decode()
