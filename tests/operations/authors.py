"""What an author wrote: the workflows that the operations are tried with."""

from dataclasses import dataclass, field
from typing import Any

from service.domain.context import Context
from service.domain.outcome import End, Next
from service.domain.registry import Workflows
from service.operations.workflows import EnqueueRequest

PING = EnqueueRequest(name="ping")


@dataclass
class Order:
    item: str
    count: int = 1
    notes: list[str] = field(default_factory=list[str])


def registry() -> Workflows:
    """Return `order`, of an Order in queue `orders`, and `ping`, of nothing in its own."""
    workflows = Workflows()
    workflows.queue("orders", concurrency=5)
    order = workflows.machine("order", input=Order, output=str, queue="orders")

    @order.action
    async def pay(ctx: Context[None], params: Order) -> Next | End[str]:
        return End(params.item)

    @workflows.workflow
    async def ping(ctx: Context[None], params: None) -> None:
        return None

    return workflows


def order(params: object = None, **given: Any) -> EnqueueRequest:
    """Return a request for an `order`, of a book unless it says otherwise."""
    return EnqueueRequest(
        name="order", params={"item": "book"} if params is None else params, **given
    )
