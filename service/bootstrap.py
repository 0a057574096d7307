"""Composition root: settings, database, store, operations and runtime become one Service."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from service.domain.clock import Clock, micros
from service.domain.ids import time_ordered
from service.domain.registry import Workflows as Registry
from service.emitter import Channel, Emitter
from service.operations.events import Events
from service.operations.queues import Queues
from service.operations.workflows import Workflows
from service.runtime.clock import SystemClock
from service.runtime.health import Health
from service.runtime.policy import Policy
from service.runtime.relay import Relay
from service.runtime.worker import Worker
from service.settings import Settings
from service.store.opening import open_database
from service.store.queues import DeclareQueues
from service.store.store import Store

_BACKSTOP_SECONDS = 5.0
"""How often the log is looked at though nothing tells of news: a writer may die before it does."""


@dataclass(slots=True, kw_only=True)
class Service:
    """One service on one event loop: what callers may ask, and the worker if it has one."""

    settings: Settings
    registry: Registry
    clock: Clock
    emitter: Emitter
    store: Store
    workflows: Workflows
    events: Events
    queues: Queues
    health: Health
    worker: Worker | None
    channel: Channel
    relay: Relay

    async def drain(self, grace: float) -> None:
        """Claim nothing more; let what runs go on for `grace` seconds, then give it back."""
        self.health.stopping = True
        if self.worker is not None:
            await self.worker.drain(grace)

    def abandon(self) -> int:
        """Give back what is held though the loop is blocked; for another thread."""
        return 0 if self.worker is None else self.worker.abandon()


def link(one: Service, other: Service) -> None:
    """Let two services of one process, each on its own loop, hear each other at once."""
    one.channel.peers.append(other.channel.inbox)
    other.channel.peers.append(one.channel.inbox)
    # One of them looks for other processes' events: not the one whose loop authors may block.
    (one if other.worker is None else other).relay.ease()
    one.health.pulses, other.health.pulses = (
        one.health.pulses + other.health.pulses,
        other.health.pulses + one.health.pulses,
    )


@asynccontextmanager
async def open_service(
    settings: Settings,
    registry: Registry,
    *,
    clock: Clock | None = None,
    worker: bool = True,
) -> AsyncGenerator[Service]:
    """Open a service on the running loop, and close it at the end of the block.

    It runs instances when `worker` is true; at the end they get the grace of the settings, and are
    given back. Raises `Unavailable` when the database can't be opened.
    """
    clock = clock or SystemClock()
    database = await open_database(
        settings.database,
        busy_timeout=settings.busy_timeout.total_seconds(),
        clock=clock,
        poll=settings.poll.total_seconds(),
        listen=settings.listen_database,
    )
    emitter = Emitter(settings.ring_events, settings.ring_bytes)
    channel = Channel(emitter)
    store = Store(database, channel.publish)
    try:
        service = _wire(settings, registry, clock, store, channel, with_worker=worker)
        head = await store.events.head()
        emitter.start(head.position)
        policies = list(registry.queues.values())
        if policies:
            await store.write(DeclareQueues(policies=policies))
        async with _running(service):
            yield service
    finally:
        emitter.close()
        await store.close()


@asynccontextmanager
async def _running(service: Service) -> AsyncGenerator[None]:
    relay = asyncio.create_task(service.relay.run(), name="relay")
    if service.worker is not None:
        service.worker.start()
    try:
        yield
    finally:
        if service.worker is not None:
            if not service.health.stopping:
                await service.drain(service.settings.grace.total_seconds())
            await service.worker.stop()
        relay.cancel()
        await asyncio.wait((relay,))


def _wire(
    settings: Settings,
    registry: Registry,
    clock: Clock,
    store: Store,
    channel: Channel,
    *,
    with_worker: bool,
) -> Service:
    new_id = time_ordered(clock)
    emitter = channel.emitter
    health = Health(store)
    worker = None
    if with_worker:
        worker = Worker(store, emitter, registry, clock, new_id, _policy(settings))
        health.pulses.append(worker.pulse)
    return Service(
        settings=settings,
        registry=registry,
        clock=clock,
        emitter=emitter,
        store=store,
        workflows=Workflows(
            store,
            registry,
            new_id,
            payload_limit=settings.payload_limit,
            enqueue_many_limit=settings.enqueue_many_limit,
        ),
        events=Events(store.events, emitter),
        queues=Queues(store, registry, new_id, channel.stir),
        health=health,
        worker=worker,
        channel=channel,
        relay=Relay(
            emitter,
            store.events,
            clock,
            store.committed,
            listen=store.listen,
            feed=channel.publish,
            poll=settings.poll.total_seconds(),
            tick=_BACKSTOP_SECONDS,
        ),
    )


def _policy(settings: Settings) -> Policy:
    return Policy(
        slots=settings.slots,
        lease=micros(settings.lease),
        heartbeat=settings.heartbeat.total_seconds(),
        tick=settings.tick.total_seconds(),
        blocked_after=settings.blocked_after.total_seconds(),
        blocked_limit=settings.blocked_limit.total_seconds(),
        payload_limit=settings.payload_limit,
        retention=micros(settings.retention),
        prune_batch=settings.prune_batch,
    )
