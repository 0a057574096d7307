import asyncio
from collections.abc import Callable
from datetime import timedelta

import pytest

from service.domain.context import Context
from service.domain.errors import Unavailable
from service.domain.queue import Rate
from service.runtime.dispatcher import Dispatcher
from service.store.claims import Claim
from service.store.queues import DeclareQueues
from tests.clock import FakeClock
from tests.runtime.driving import Driven, enqueue
from tests.services import Process

Drive = Callable[..., Driven]


@pytest.fixture
def going(process: Process) -> asyncio.Event:
    """Two workflows, `a` and `b`, whose instances wait until it is set."""
    event = asyncio.Event()

    @process.registry.workflow
    async def a(ctx: Context[None], params: None) -> None:
        await event.wait()

    @process.registry.workflow
    async def b(ctx: Context[None], params: None) -> None:
        await event.wait()

    return event


def dispatcher_of(driven: Driven) -> Dispatcher:
    return driven.worker.scheduler._dispatcher


async def fill(process: Process, **counts: int) -> None:
    for name, count in counts.items():
        for _ in range(count):
            await enqueue(process, name)


async def declare(process: Process, name: str, **given: object) -> None:
    policy = process.registry.queue(name, **given)  # type: ignore[arg-type]
    await process.store.write(DeclareQueues(policies=[policy]))


async def test_it_fills_the_places_and_no_more(
    process: Process, drive: Drive, going: asyncio.Event
) -> None:
    driven = drive(process, slots=3)
    dispatcher = dispatcher_of(driven)
    await fill(process, a=5)
    await dispatcher.dispatch()
    assert (dispatcher.free, len(driven.runner.held())) == (0, 3)
    assert dispatcher.wanted
    await dispatcher.dispatch()
    assert len(driven.runner.held()) == 3
    going.set()
    await driven.settle()
    assert dispatcher.free == 3
    await dispatcher.dispatch()
    await driven.settle()
    assert not dispatcher.wanted


async def test_queues_take_turns_over_several_claims(
    process: Process, drive: Drive, going: asyncio.Event
) -> None:
    driven = drive(process, slots=1)
    dispatcher = dispatcher_of(driven)
    await fill(process, a=3, b=3)
    going.set()
    order: list[str] = []
    for _ in range(6):
        await dispatcher.dispatch()
        order.append(driven.runner.held()[0].name)
        await driven.settle()
    assert order == ["a", "b"] * 3


async def test_a_full_queue_is_remembered_until_one_of_its_own_leaves(
    process: Process, drive: Drive, going: asyncio.Event
) -> None:
    await declare(process, "a", concurrency=2)
    driven = drive(process)
    dispatcher = dispatcher_of(driven)
    await fill(process, a=3, b=1)
    await dispatcher.dispatch()
    assert [held.name for held in driven.runner.held()].count("a") == 2
    assert dispatcher.left("a")
    assert not dispatcher.left("b")


async def test_it_says_when_the_next_token_comes(
    process: Process, drive: Drive, going: asyncio.Event, clock: FakeClock
) -> None:
    await declare(process, "a", rate=Rate(1, per=timedelta(seconds=8)))
    driven = drive(process)
    dispatcher = dispatcher_of(driven)
    await fill(process, a=2)
    await dispatcher.dispatch()
    await clock.advance(3)
    await dispatcher.dispatch()
    assert dispatcher.next_token_in == 5
    await clock.advance(5)
    await dispatcher.dispatch()
    assert len(driven.runner.held()) == 2


async def test_without_a_limit_there_is_no_token_to_wait_for(
    process: Process, drive: Drive, going: asyncio.Event
) -> None:
    driven = drive(process)
    await fill(process, a=1)
    await dispatcher_of(driven).dispatch()
    assert dispatcher_of(driven).next_token_in is None


async def test_after_an_outage_it_still_wants_to(
    process: Process, drive: Drive, going: asyncio.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    driven = drive(process)
    dispatcher = dispatcher_of(driven)

    def fail(*_: object) -> None:
        raise Unavailable("The disk is full.", maybe_applied=False)

    with monkeypatch.context() as patched:
        patched.setattr(Claim, "apply", fail)
        with pytest.raises(Unavailable):
            await dispatcher.dispatch()
    assert dispatcher.wanted
    await dispatcher.dispatch()
    assert not dispatcher.wanted
