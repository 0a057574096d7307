import asyncio
from typing import Any

from service.client import Client, ConnectionFailed
from service.demo.producer import NEWSLETTER_EVERY, SOLD_OUT_EVERY, produce
from service.demo.workflows import SOLD_OUT
from tests.clock import FakeClock


class Counter(Client):
    """Takes orders, except for the first one, and keeps them."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: list[tuple[str, Any, str]] = []
        self.down = True

    async def enqueue(self, name: str, params: Any = None, **options: Any) -> Any:
        if self.down:
            self.down = False
            raise ConnectionFailed("http://shop", "closed")
        self.taken.append((name, params, options["idempotency_key"]))


async def test_orders_once_in_each_slot_whatever_happens() -> None:
    clock, counter = FakeClock(), Counter()
    producing = asyncio.create_task(produce(counter, clock))
    slots = SOLD_OUT_EVERY * NEWSLETTER_EVERY
    await clock.advance(2 * slots)
    producing.cancel()
    orders = [params for name, params, _ in counter.taken if name == "fulfil-order"]
    assert len(orders) == slots
    assert sum(order.sku == SOLD_OUT for order in orders) == NEWSLETTER_EVERY
    assert sum(name == "send-newsletter" for name, *_ in counter.taken) == SOLD_OUT_EVERY
    keys = [key for *_, key in counter.taken]
    assert len(set(keys)) == len(keys)
