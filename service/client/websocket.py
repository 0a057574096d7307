"""One live WebSocket that speaks graphql-transport-ws, with many subscriptions on it."""

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from itertools import count
from typing import Any, cast

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import (
    ConnectionClosed,
    InvalidHandshake,
    InvalidMessage,
    InvalidStatus,
    InvalidURI,
)
from websockets.typing import Subprotocol

from service.client.answers import refusal_of
from service.client.errors import RequestRefused, UnexpectedAnswer
from service.client.stream import ConnectionLost, Lagged, Stream

PROTOCOL = Subprotocol("graphql-transport-ws")
LARGEST_MESSAGE = 64 << 20
REFUSED = {401: "UNAUTHENTICATED", 403: "FORBIDDEN", 4401: "UNAUTHENTICATED", 4403: "FORBIDDEN"}
MISUNDERSTOOD = frozenset({4400, 4406, 4409, 4429, 1002, 1003, 1007})

Message = Mapping[str, Any]


class Socket:
    """A connection on which the server has said that it is ready."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._streams: dict[str, Stream] = {}
        self._keys = count(1)
        self._posts: set[asyncio.Task[None]] = set()
        self._reader = asyncio.create_task(self._read())

    @property
    def alive(self) -> bool:
        """Tell whether it can still be used."""
        return not self._reader.done()

    @property
    def load(self) -> int:
        """Return how many subscriptions are on it."""
        return len(self._streams)

    async def subscribe(self, document: str, variables: Mapping[str, object]) -> Stream:
        """Begin a subscription."""
        stream = Stream(str(next(self._keys)))
        self._streams[stream.key] = stream
        payload = {"query": document, "variables": variables}
        try:
            await _send(self._connection, id=stream.key, type="subscribe", payload=payload)
        except BaseException:
            self.unsubscribe(stream)
            raise
        return stream

    def unsubscribe(self, stream: Stream) -> None:
        """End a subscription, so that the server frees what it holds for it."""
        self._drop(stream, ConnectionLost("unsubscribed"), tell=True)

    async def close(self) -> None:
        """End every subscription, and the connection."""
        await self._connection.close()
        await self._reader
        await asyncio.gather(*self._posts)

    async def _read(self) -> None:
        reason: Exception = ConnectionLost("the connection was closed")
        try:
            while True:
                self._dispatch(await _receive(self._connection))
        except Exception as error:
            reason = error
        finally:
            for stream in tuple(self._streams.values()):
                self._drop(stream, reason)

    def _dispatch(self, message: Message) -> None:
        if message.get("type") == "ping":
            self._post(type="pong")
        stream = self._streams.get(str(message.get("id")))
        if stream is None:
            return
        match message["type"]:
            case "next" if stream.full:
                self._drop(stream, Lagged(), tell=True)
            case "next":
                stream.put(message["payload"])
            case "error":
                self._drop(stream, refusal_of(message["payload"]))
            case _:
                self._drop(stream, ConnectionLost("the server ended the subscription"))

    def _drop(self, stream: Stream, reason: Exception, *, tell: bool = False) -> None:
        if self._streams.pop(stream.key, None) is not None:
            stream.end(reason)
            if tell:
                self._post(id=stream.key, type="complete")

    def _post(self, **message: object) -> None:
        """Send in the background: what reads must never wait until the other side reads."""
        post = asyncio.create_task(self._posted(message))
        self._posts.add(post)
        post.add_done_callback(self._posts.discard)

    async def _posted(self, message: Message) -> None:
        with suppress(ConnectionLost, RequestRefused, UnexpectedAnswer):
            await _send(self._connection, **message)


async def open_socket(url: str, headers: Mapping[str, str], limit: timedelta) -> Socket:
    """Connect and shake hands. Raises `ConnectionLost`, or why it will never work."""
    connection = await _connect(url, headers, limit)
    try:
        async with asyncio.timeout(limit.total_seconds()):
            await _send(connection, type="connection_init", payload=dict(headers))
            while (message := await _receive(connection)).get("type") != "connection_ack":
                if message.get("type") == "ping":
                    await _send(connection, type="pong")
    except TimeoutError as error:
        await connection.close()
        raise ConnectionLost("the server is silent") from error
    except BaseException:
        await connection.close()
        raise
    return Socket(connection)


async def _connect(url: str, headers: Mapping[str, str], limit: timedelta) -> ClientConnection:
    try:
        return await connect(
            url,
            subprotocols=[PROTOCOL],
            additional_headers=headers,
            compression=None,
            open_timeout=limit.total_seconds(),
            close_timeout=1,
            max_size=LARGEST_MESSAGE,
        )
    except InvalidStatus as error:
        status = error.response.status_code
        if code := REFUSED.get(status):
            raise RequestRefused(code, f"{url} answered HTTP {status}.") from error
        if status >= 500:
            raise ConnectionLost(f"HTTP {status}") from error
        raise UnexpectedAnswer(f"{url} answered HTTP {status}") from error
    except (OSError, TimeoutError, InvalidMessage, ConnectionClosed) as error:
        raise ConnectionLost(str(error) or type(error).__name__) from error
    except (InvalidHandshake, InvalidURI) as error:
        raise UnexpectedAnswer(f"{url} takes no WebSocket ({error})") from error


async def _send(connection: ClientConnection, **message: object) -> None:
    try:
        await connection.send(json.dumps(message))
    except ConnectionClosed as error:
        raise _farewell(error) from error


async def _receive(connection: ClientConnection) -> Message:
    try:
        message = json.loads(await connection.recv())
    except ConnectionClosed as error:
        raise _farewell(error) from error
    except ValueError as error:
        raise UnexpectedAnswer("a message over the WebSocket that is no JSON") from error
    if not isinstance(message, dict):
        raise UnexpectedAnswer("a message over the WebSocket that is no object")
    return cast("Message", message)


def _farewell(error: ConnectionClosed) -> Exception:
    """Return what the close code means for those who read."""
    close = error.rcvd
    if close is None:
        return ConnectionLost("the connection broke")
    if code := REFUSED.get(close.code):
        return RequestRefused(code, close.reason or "The server closed the connection.")
    if close.code in MISUNDERSTOOD:
        return UnexpectedAnswer(f"it closed the WebSocket with {close.code} {close.reason}")
    return ConnectionLost(f"the server closed the connection ({close.code})")
