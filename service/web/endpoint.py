"""`/graphql`: questions over HTTP, the WebSocket, and a page to try both on."""

import logging
from contextlib import suppress

from graphql import OperationType
from starlette.types import Receive, Scope, Send

from service.domain.errors import Unavailable
from service.graphql.asking import GraphQL, Question
from service.graphql.encoding import encode
from service.graphql.errors import BAD_REQUEST, Refused, refusal, show_exception
from service.settings import Settings
from service.web.answering import GRAPHQL, HTML, JSON, answer
from service.web.console import CONSOLE, HEADERS
from service.web.origin import is_foreign
from service.web.request import Gone, Headers, RefusedWith, only_by, read_question
from service.web.socket import Socket
from service.web.wire import Over, Wire

TRY_AGAIN_LATER = 1013

CLOSED = (
    "The service is not open: its application was not started. Where it is mounted in another one, "
    "give that one the lifespan that `lifespan_of(app)` returns."
)

_log = logging.getLogger(__name__)


class Endpoint:
    """An ASGI application; it answers from when it is given `graphql`."""

    def __init__(self, settings: Settings) -> None:
        self.graphql: GraphQL | None = None
        self.sockets = 0
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or live as long as one WebSocket."""
        if scope["type"] == "websocket":
            await self._talk(scope, receive, send)
        else:
            await self._answer(scope, receive, send)

    async def _talk(self, scope: Scope, receive: Receive, send: Send) -> None:
        if is_foreign(scope):
            _log.warning("Refused a WebSocket that a page of another host asked for.")
            await send({"type": "websocket.close"})
            return
        wire = Wire(receive, send, self._settings.body_limit)
        if self.graphql is None or self.sockets >= self._settings.socket_limit:
            with suppress(Over):
                await wire.accept(None)
                await wire.close(TRY_AGAIN_LATER, "Try again later")
            return
        self.sockets += 1
        try:
            socket = Socket(self.graphql, wire, self._settings.operation_limit)
            await socket.run(scope["subprotocols"])
        finally:
            self.sockets -= 1

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers: Headers = dict(scope["headers"])
        accepted = headers.get(b"accept", b"")
        if self._wants_page(scope, accepted):
            await answer(send, 200, CONSOLE, media=HTML, headers=HEADERS)
            return
        media = GRAPHQL if GRAPHQL in accepted else JSON
        try:
            question = await read_question(scope, headers, receive, self._settings.body_limit)
            body = encode(await self._ask(question, scope["method"]))
        except Gone:
            return
        except RefusedWith as wrong:
            body = encode({"errors": wrong.errors})
            await answer(send, wrong.status, body, media=media, headers=wrong.headers)
        except Refused as refused:
            await answer(send, 400, encode({"errors": refused.errors}), media=media)
        except Exception as error:
            await answer(send, 500, encode({"errors": [show_exception(error)]}), media=media)
        else:
            await answer(send, 200, body, media=media)

    def _wants_page(self, scope: Scope, accepted: bytes) -> bool:
        return (
            scope["method"] in {"GET", "HEAD"}
            and self._settings.ide
            and b"text/html" in accepted
            and not scope["query_string"]
        )

    async def _ask(self, question: Question, method: str) -> object:
        if self.graphql is None:
            closed = Unavailable(CLOSED, maybe_applied=False)
            raise RefusedWith(503, Refused([show_exception(closed)]))
        execution = self.graphql.prepare(question)
        if execution.kind is OperationType.SUBSCRIPTION:
            message = "Subscriptions go over a WebSocket (graphql-transport-ws) at this address."
            raise refusal(BAD_REQUEST, message)
        if execution.kind is OperationType.MUTATION and method != "POST":
            raise only_by(b"POST", "Mutations are asked by POST, so that no link can make one.")
        return await execution.respond()
