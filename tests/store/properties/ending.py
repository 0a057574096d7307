"""Whatever has happened: nothing is lost for good, and nothing is left behind."""

from collections.abc import Sequence
from typing import Any

from service.domain.clock import SECOND
from service.domain.instance import Claimed
from service.domain.transitions import abort, complete
from service.store.claims import Claim
from service.store.hooks import ClaimHooks
from service.store.queues import DeclareQueues
from service.store.requests import Request
from service.store.retention import Prune
from service.store.upkeep import CutLeases, Promote, Reclaim
from tests.store.properties.by_hand import Declaring, Pausing
from tests.store.properties.by_worker import Finishing, Moving
from tests.store.properties.chances import LEASE, UNLIMITED
from tests.store.properties.deed import Deed
from tests.store.properties.upkeep import (
    Claiming,
    Cutting,
    Promoting,
    Pruning,
    Reclaiming,
    TakingHooks,
)
from tests.store.properties.world import World

_NAMES = frozenset({"alpha", "beta"})
_ROUNDS = 100
_UNDER_LIMITS = 3
_MONTH = 30 * 86_400


def end_everything(world: World) -> None:
    """Let a worker do what workers do until all has ended, then let all be pruned."""
    world.pass_time(_MONTH)
    for queue in world.now.queues:
        request = Request("end", kept=False, fingerprint="")
        _do(world, Pausing(queue, request, paused=False))
    for number in range(_ROUNDS):
        if all(row.ended for row in world.now.rows.values()) and not world.now.hooks:
            break
        if number == _UNDER_LIMITS:
            _do(world, Declaring(DeclareQueues(policies=UNLIMITED)))
        _work(world)
    else:
        raise AssertionError(f"These never end: {world.now}")
    _prune(world)


def _work(world: World) -> None:
    """Do one round of a scheduler, and end what it claims."""
    world.pass_time(2 * LEASE / SECOND)
    _do(world, Cutting(CutLeases(lease=LEASE)))
    _do(world, Reclaiming(Reclaim(limit=1000)))
    _do(world, Promoting(Promote(limit=1000)))
    claim = Claim(worker="last", names=_NAMES, limit=100, lease=LEASE)
    claims = _do(world, Claiming(claim))
    held: Sequence[Claimed] = claims.claimed
    if held:
        world.do([Moving(complete(each, "1")) for each in held[1:]] + [Moving(abort(held[0]))])
        world.do([Moving(complete(held[0], "1"))])
    hooks = _do(world, TakingHooks(ClaimHooks(names=sorted(_NAMES), limit=1000, lease=LEASE)))
    if hooks:
        world.do([Finishing(hook, None) for hook in hooks])


def _prune(world: World) -> None:
    """Prune as long as there is something: all goes but the log's last event."""
    world.pass_time(1)
    while _do(world, Pruning(Prune(age=0, limit=20))).total:
        pass
    now = world.now
    assert [now.rows, now.hooks, now.failures, now.requests] == [{}, {}, {}, frozenset()]
    assert len(now.events) == min(1, now.head)


def _do(world: World, deed: Deed) -> Any:
    [(_, answer)] = world.do([deed])
    return answer
