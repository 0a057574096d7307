"""The shop's workflows, as an author writes them."""

import asyncio
import random
from dataclasses import dataclass
from datetime import timedelta

from service import Context, End, Next, Rate, Retry, Workflows

workflows = Workflows()
workflows.queue("orders", concurrency=5, rate=Rate(120, per=timedelta(minutes=1)))

SOLD_OUT = "moon-rock"
SHIPPING_TAKES = timedelta(seconds=3)
PAYMENTS_THAT_FAIL = 0.35

_chance = random.SystemRandom().random


class OutOfStock(Exception):
    """There is none left, and trying again soon would not help."""


class ProviderDown(Exception):
    """The payment provider did not answer; it often does a moment later."""


@dataclass
class Order:
    """What a customer wants."""

    sku: str
    cents: int
    address: str


@dataclass
class Parcel:
    """What goes to the post."""

    sku: str
    address: str


@dataclass
class Fulfilment:
    """What the workflow remembers between its actions."""

    shelf: str | None = None
    charge: str | None = None


@dataclass
class Receipt:
    """What the customer gets in the end."""

    charge: str
    tracking: str


fulfil_order = workflows.machine(
    "fulfil-order",
    input=Order,
    state=Fulfilment,
    output=Receipt,
    queue="orders",
    retry=Retry(max_attempts=6, not_on=(OutOfStock,)),
)


@fulfil_order.action
async def reserve_stock(ctx: Context[Fulfilment], order: Order) -> Next:
    """Take the goods off the shelf; an order for what is sold out fails here, every time."""
    await _work(0.2)
    if order.sku == SOLD_OUT:
        raise OutOfStock(f"No {order.sku} left. Order more of it, then retry this order.")
    ctx.state.shelf = f"shelf-{len(order.sku)}"
    return pay.next(order)


@fulfil_order.action
async def pay(ctx: Context[Fulfilment], order: Order) -> Next:
    """Charge the customer through a provider that is down now and then."""
    await _work(0.3)
    if _chance() < PAYMENTS_THAT_FAIL:
        raise ProviderDown("The payment provider did not answer.")
    ctx.state.charge = f"charge-{ctx.instance_id[-8:]}-{order.cents}"
    ctx.log.info("paid %.2f", order.cents / 100)
    return ship.next(Parcel(order.sku, order.address), after=SHIPPING_TAKES)


@fulfil_order.action
async def ship(ctx: Context[Fulfilment], parcel: Parcel) -> End[Receipt]:
    """Hand the parcel to the post."""
    await _work(0.2)
    ctx.log.info("shipped %s from %s to %s", parcel.sku, ctx.state.shelf, parcel.address)
    return End(Receipt(charge=ctx.state.charge or "", tracking=f"track-{ctx.instance_id[-8:]}"))


@dataclass
class Newsletter:
    """What to tell, and to how many."""

    subject: str
    readers: int = 3


@dataclass
class Sent:
    """How many it went to."""

    count: int


@workflows.workflow
async def send_newsletter(ctx: Context[None], letter: Newsletter) -> Sent:
    """Write to every reader, one after the other."""
    for reader in range(letter.readers):
        await _work(0.5)
        ctx.log.info("sent %r to reader %d", letter.subject, reader + 1)
    return Sent(letter.readers)


async def _work(seconds: float) -> None:
    await asyncio.sleep(seconds)  # noqa: TID251 - an author's own code may wait as it likes
