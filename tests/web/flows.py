"""What the servers of these tests run."""

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from service import Context, Rate, Retry, Workflows

workflows = Workflows()
workflows.queue("limited", concurrency=3, rate=Rate(600, per=timedelta(minutes=1), burst=10))


@dataclass
class Order:
    """What is bought, and for how much."""

    cents: int
    lines: list[str] = field(default_factory=list[str])


@workflows.workflow
async def echo(ctx: Context[None], words: Any) -> Any:
    return words


@workflows.workflow(queue="limited", retry=Retry(max_attempts=2, base=timedelta(milliseconds=1)))
async def order(ctx: Context[None], params: Order) -> int:
    return params.cents


@workflows.workflow
async def fail(ctx: Context[None], why: str) -> None:
    raise ValueError(why)


@workflows.workflow
async def forever(ctx: Context[None], nothing: None) -> None:
    await asyncio.Event().wait()
