"""Opens the yardsticks that some figures are judged by, and no others."""

from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager

from bench.peer import PEERS
from bench.plan import Plan
from bench.standards import yardsticks
from bench.turns import Measure


@asynccontextmanager
async def beside(plan: Plan, names: Iterable[str]) -> AsyncGenerator[dict[str, Measure]]:
    """Yield what the figures of these names are set beside: limits, and peers that are there."""
    wanted = yardsticks(names, plan.ground.standards)
    peers = {name: await peer.install(plan) for name, peer in PEERS.items() if name in wanted}
    async with plan.ground.limits(plan) as limits:
        yield {
            **{name: limit for name, limit in limits.items() if name in wanted},
            **{name: peer for name, peer in peers.items() if peer is not None},
        }
