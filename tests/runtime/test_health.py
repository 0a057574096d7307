import asyncio

import pytest

from service.domain.errors import Unavailable
from service.runtime.health import Health
from service.runtime.pulse import Pulse
from tests.clock import FakeClock
from tests.services import Process


@pytest.fixture
async def pulse(clock: FakeClock) -> Pulse:
    return Pulse(clock, blocked_after=5, blocked_limit=60)


@pytest.fixture
async def health(process: Process, pulse: Pulse) -> Health:
    made = Health(process.store)
    made.pulses.append(pulse)
    return made


async def test_all_is_well(health: Health) -> None:
    assert (health.live().ok, health.live().details) == (True, {})
    ready = await health.ready()
    assert (ready.ok, ready.details) == (True, {"database": "ok"})


async def test_a_blocked_loop_is_named_and_fails_at_its_limit(
    health: Health, clock: FakeClock
) -> None:
    task = asyncio.current_task()
    assert task is not None
    task.set_name("order 0190-7")
    await clock.advance(10)
    blocked = {"blocked": [{"by": "order 0190-7", "seconds": 10.0}]}
    assert (health.live().ok, health.live().details) == (True, blocked)
    ready = await health.ready()
    assert (ready.ok, ready.details) == (True, {"database": "ok", **blocked})
    await clock.advance(60)
    assert not health.live().ok
    assert not (await health.ready()).ok


async def test_a_process_that_stops_lives_and_is_not_ready(health: Health) -> None:
    health.stopping = True
    assert health.live().ok
    ready = await health.ready()
    assert (ready.ok, ready.details) == (False, {"stopping": True})


async def test_without_its_database_it_lives_and_is_not_ready(
    health: Health, process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away() -> None:
        raise Unavailable("The disk is gone.", maybe_applied=False)

    monkeypatch.setattr(process.store, "ready", away)
    assert health.live().ok
    ready = await health.ready()
    assert not ready.ok
    assert "The disk is gone." in str(ready.details["database"])
