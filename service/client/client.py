"""The client: what a program asks of a running service."""

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import aclosing
from datetime import datetime, timedelta
from types import TracebackType
from typing import Any, Self

from service.client import documents
from service.client.codec import event_of, failure_of, instance_of, outcome_of, queue_of
from service.client.errors import RequestRefused
from service.client.handle import Handle
from service.client.http import HttpTransport, check_address
from service.client.inputs import enqueue_input, given, listed
from service.client.models import Cancelled, Enqueue, Event, Failure, Instance, Queue
from service.client.pages import nodes
from service.client.sockets import Sockets
from service.client.watch import Follower
from service.domain.clock import Clock
from service.domain.events import EventType
from service.domain.ids import time_ordered
from service.domain.instance import OnConflict, Status
from service.domain.listing import Order
from service.runtime.clock import SystemClock

LOCAL = "http://127.0.0.1:8000/graphql"


class Client:
    """A service at `url`, over one HTTP pool and one WebSocket; an async context manager.

    Each try of a question has `timeout`; without an answer it is asked again for up to `patience`.
    That never does anything twice: every mutation carries a request id, made here if none is given.
    Raises ValueError when `url` is no http or https address.
    """

    def __init__(
        self,
        url: str = LOCAL,
        token: str | None = None,
        *,
        timeout: timedelta = timedelta(seconds=10),
        patience: timedelta = timedelta(seconds=30),
        clock: Clock | None = None,
    ) -> None:
        url = check_address(url)
        clock = clock or SystemClock()
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._new_id = time_ordered(clock)
        self._http = HttpTransport(url, headers, clock, timeout=timeout, patience=patience)
        self._sockets = Sockets(url, headers, timeout)
        self._follower = Follower(self._sockets, clock, patience)

    async def __aenter__(self) -> Self:
        await self._http.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._sockets.close()
        await self._http.__aexit__(kind, error, trace)

    async def ping(self) -> None:
        """Return when the service answers; raises `ConnectionFailed` when it doesn't."""
        await self._http.ask(documents.PING, {})

    async def enqueue(
        self,
        name: str,
        params: object = None,
        *,
        queue: str | None = None,
        priority: int | None = None,
        idempotency_key: str | None = None,
        singleton_key: str | None = None,
        on_conflict: OnConflict = OnConflict.RETURN,
        request_id: str | None = None,
    ) -> Handle:
        """Start a workflow and return when that is on disk.

        `params` may be plain JSON, a dataclass or a pydantic model. Raises `RequestRefused`.
        """
        item = Enqueue(
            name=name,
            params=params,
            queue=queue,
            priority=priority,
            idempotency_key=idempotency_key,
            singleton_key=singleton_key,
            on_conflict=on_conflict,
        )
        return self._handle(await self._change(documents.ENQUEUE, enqueue_input(item), request_id))

    async def enqueue_many(
        self, items: Sequence[Enqueue], *, request_id: str | None = None
    ) -> Sequence[Handle]:
        """Start all of them or, when one is refused, none."""
        answer = await self._change(
            documents.ENQUEUE_MANY, {"items": [enqueue_input(item) for item in items]}, request_id
        )
        return [self._handle(result) for result in answer["results"]]

    async def get(self, instance_id: str) -> Instance | None:
        """Return the instance, or None."""
        data = await self._http.ask(documents.GET, {"id": instance_id})
        found = data["workflowInstance"]
        return None if found is None else instance_of(found)

    async def handle(self, instance_id: str) -> Handle:
        """Return a handle of an instance that is there. Raises `RequestRefused`: NOT_FOUND."""
        instance = await self.get(instance_id)
        if instance is None:
            raise RequestRefused(
                "NOT_FOUND", f"There is no instance {instance_id!r}. `list` shows those there are."
            )
        return Handle(instance=instance, cursor=instance.cursor, created=False, client=self)

    async def list(
        self,
        *,
        names: Collection[str] | None = None,
        queues: Collection[str] | None = None,
        statuses: Collection[Status] | None = None,
        idempotency_key: str | None = None,
        singleton_key: str | None = None,
        created_after: datetime | None = None,
        created_before: datetime | None = None,
        order: Order = Order.NEWEST_FIRST,
    ) -> AsyncGenerator[Instance]:
        """Yield the instances that match all that is given, read page by page as they are taken.

        `created_after` is inclusive, `created_before` is not; both need a time zone.
        """
        wanted = given(
            names=listed(names),
            queues=listed(queues),
            statuses=listed(statuses),
            idempotencyKey=idempotency_key,
            singletonKey=singleton_key,
            createdAfter=created_after and created_after.isoformat(),
            createdBefore=created_before and created_before.isoformat(),
        )
        variables = {"filter": wanted, "order": order}
        async for node in nodes(self._http, documents.LIST, variables):
            yield instance_of(node)

    async def failures(self, instance_id: str) -> AsyncGenerator[Failure]:
        """Yield the failed attempts of an instance, oldest first; none if there is no such one."""
        async for node in nodes(self._http, documents.FAILURES, {"id": instance_id}):
            yield failure_of(node)

    async def history(self, instance_id: str, *, after: str | None = None) -> AsyncGenerator[Event]:
        """Yield an instance's events so far, oldest first; none if there is no such instance."""
        async for node in nodes(self._http, documents.HISTORY, {"id": instance_id}, after):
            yield event_of(node)

    async def queues(self) -> Sequence[Queue]:
        """Return the queues as they stand."""
        return [queue_of(node) for node in (await self._http.ask(documents.QUEUES, {}))["queues"]]

    async def cancel(self, instance_id: str, *, request_id: str | None = None) -> Cancelled:
        """Cancel an instance, or have its worker do so. Raises `RequestRefused`."""
        answer = await self._change(documents.CANCEL, {"instanceID": instance_id}, request_id)
        return Cancelled(
            instance=instance_of(answer["instance"]), outcome=outcome_of(answer["outcome"])
        )

    async def retry(self, instance_id: str, *, request_id: str | None = None) -> Handle:
        """Put an ended instance back at its last checkpoint. Raises `RequestRefused`."""
        answer = await self._change(documents.RETRY, {"instanceID": instance_id}, request_id)
        return self._handle({**answer, "created": False})

    async def pause_queue(self, name: str, *, request_id: str | None = None) -> Queue:
        """Let no instance of the queue start until it is resumed; running ones go on."""
        answer = await self._change(documents.PAUSE_QUEUE, {"name": name}, request_id)
        return queue_of(answer["queue"])

    async def resume_queue(self, name: str, *, request_id: str | None = None) -> Queue:
        """Let the queue's instances start again."""
        answer = await self._change(documents.RESUME_QUEUE, {"name": name}, request_id)
        return queue_of(answer["queue"])

    async def watch(
        self,
        instance_id: str | None = None,
        *,
        name: str | None = None,
        queue: str | None = None,
        types: Collection[EventType] | None = None,
        after: str | None = None,
    ) -> AsyncGenerator[Event]:
        """Yield events that match all that is given, for ever, each once and in order.

        `after` is a cursor, or "" for the oldest event that is left; without one it begins with
        what happens after the first step of the loop. Lost connections are made again. Raises
        `RequestRefused` (CURSOR_EXPIRED, INVALID_CURSOR, …) or, in the end, `ConnectionFailed`.
        """
        start = await self._head() if after is None else after
        interest = {"id": instance_id, "name": name, "queue": queue, "types": listed(types)}
        async with aclosing(self._follower.follow(interest, start)) as events:
            async for event in events:
                yield event

    async def _head(self) -> str:
        return (await self._http.ask(documents.HEAD, {}))["workflowInstances"]["cursor"]

    async def _change(
        self, document: str, change: Mapping[str, object], request_id: str | None
    ) -> Mapping[str, Any]:
        request_id = request_id or self._new_id()
        variables = {"input": {**change, "requestID": request_id}}
        return (await self._http.ask(document, variables, request_id))["answer"]

    def _handle(self, answer: Mapping[str, Any]) -> Handle:
        return Handle(
            instance=instance_of(answer["instance"]),
            cursor=answer["cursor"],
            created=answer["created"],
            client=self,
        )
