"""Makes instances, and holds them as a worker does."""

from itertools import count
from typing import Any

from service.domain.canonical import digest
from service.domain.clock import SECOND
from service.domain.instance import Claimed, Failure, Launch
from service.domain.transitions import (
    Progression,
    Transition,
    abort,
    checkpoint,
    complete,
    fail,
    hand_over,
    release,
    retry,
)
from service.store.cancel import Cancel, Stopped
from service.store.claims import Claim, Claims
from service.store.enqueue import Enqueue, Placed
from service.store.moves import Moved, Progress, Settle
from service.store.requests import Request
from service.store.requeue import Requeue
from tests.services import Process

LEASE = 30 * SECOND
_numbers = count(1)


def launch(name: str = "order", **given: Any) -> Launch:
    """Return a launch with an id of its own; ids grow with each."""
    facts: dict[str, Any] = {
        "id": f"i-{next(_numbers):06d}",
        "name": name,
        "queue": "orders",
        "priority": 0,
        "action": "pay",
        "input": '{"cents":100}',
        "max_attempts": 3,
        "max_lost": 2,
        "hooked": False,
    } | given
    if facts.get("idempotency_key") is not None:
        facts.setdefault("params_digest", digest(facts["input"]))
    return Launch(**facts)


def asked(request_id: str | None = None, what: str = "") -> Request:
    """Return the identity of a mutation, made by the caller if an id is given."""
    if request_id is None:
        return Request(f"r-{next(_numbers):06d}", kept=False, fingerprint="")
    return Request(request_id, kept=True, fingerprint=what)


async def enqueue(process: Process, name: str = "order", **given: Any) -> Placed:
    """Enqueue one instance."""
    [placed] = await process.store.write(Enqueue(launches=[launch(name, **given)], request=asked()))
    return placed


async def claims(process: Process, limit: int = 1, **given: Any) -> Claims:
    """Claim as a worker that knows `order`, `bill` and `mail`."""
    facts: dict[str, Any] = {
        "worker": "w1",
        "names": frozenset({"order", "bill", "mail"}),
        "lease": LEASE,
    } | given
    return await process.store.write(Claim(limit=limit, **facts))


async def claim(process: Process, limit: int = 1, **given: Any) -> list[Claimed]:
    """Claim, and return what was claimed."""
    return list((await claims(process, limit, **given)).claimed)


async def running(process: Process, name: str = "order", **given: Any) -> Claimed:
    """Enqueue one instance and claim it."""
    placed = await enqueue(process, name, **given)
    [held] = await claim(process)
    assert held.id == placed.instance.id, "something else was ready"
    return held


async def move(process: Process, transition: Transition) -> Moved:
    """Write a worker's move."""
    if isinstance(transition, Progression):
        return await process.store.write(Progress(transition))
    return await process.store.write(Settle(transition))  # type: ignore[arg-type]


async def cancel(process: Process, instance_id: str) -> Stopped:
    """Cancel one instance."""
    return await process.store.write(Cancel(instance_id=instance_id, request=asked()))


async def requeue(process: Process, instance_id: str) -> None:
    """Requeue one instance."""
    await process.store.write(Requeue(instance_id=instance_id, request=asked()))


async def facts(process: Process, instance_id: str, *columns: str) -> tuple[Any, ...]:
    """Return columns of the instance's row."""
    [row] = await process.rows(
        f"SELECT {', '.join(columns)} FROM instances WHERE id = ?",  # noqa: S608
        instance_id,
    )
    return row


async def status(process: Process, instance_id: str) -> str:
    """Return where the instance stands."""
    return (await facts(process, instance_id, "status"))[0]


def failure(held: Claimed, message: str = "no money") -> Failure:
    """Return what a failed attempt of the held instance leaves."""
    return Failure(
        instance_id=held.id,
        fence=held.fence,
        visit=held.visit,
        action=held.action,
        attempt=held.attempts + 1,
        error_type="PaymentError",
        message=message,
    )


def onward(held: Claimed, action: str = "ship", **given: Any) -> Progression:
    """Return a checkpoint that goes on to `action`."""
    facts: dict[str, Any] = {"params": '"Rome"', "state": '{"paid":true}', "max_attempts": 5}
    return checkpoint(held, action=action, **(facts | given))


def later(held: Claimed, delay: int, action: str = "ship") -> Progression:
    """Return a hand over to `action`, due after `delay` microseconds."""
    return hand_over(
        held, action=action, params='"Rome"', state='{"paid":true}', max_attempts=5, delay=delay
    )


def every_move(held: Claimed) -> dict[str, Transition]:
    """Return each move that a worker can make with what it holds, by name."""
    moves = [
        onward(held),
        later(held, SECOND),
        complete(held, '"done"'),
        retry(held, failure(held), SECOND),
        fail(held, failure(held)),
        abort(held),
        release(held),
    ]
    return {each.move.name: each for each in moves}
