"""The shop's customers: one order every other second, and a newsletter now and then."""

import logging
from datetime import timedelta

from service.client import Client, ClientError
from service.demo.workflows import SOLD_OUT, Newsletter, Order
from service.domain.clock import SECOND, Clock, micros

EVERY = timedelta(seconds=2)
GOODS = ("tea", "teapot", "kettle", "biscuits", "honey")
SOLD_OUT_EVERY = 8
NEWSLETTER_EVERY = 15

_log = logging.getLogger(__name__)


async def produce(client: Client, clock: Clock, every: timedelta = EVERY) -> None:
    """Order for ever. The key is the time slot's: who starts again orders nothing twice."""
    while True:
        slot = clock.now() // micros(every)
        try:
            await _order(client, slot)
        except ClientError as error:
            _log.warning("The order of slot %d was not placed: %s", slot, error)
        await clock.sleep((micros(every) - clock.now() % micros(every)) / SECOND)


async def _order(client: Client, slot: int) -> None:
    sku = SOLD_OUT if slot % SOLD_OUT_EVERY == 0 else GOODS[slot % len(GOODS)]
    order = Order(sku=sku, cents=500 + slot % 40 * 25, address=f"{slot % 90 + 1} Harbour Street")
    await client.enqueue("fulfil-order", order, idempotency_key=f"order-{slot}")
    if slot % NEWSLETTER_EVERY == 0:
        letter = Newsletter(subject=f"News of {sku}")
        await client.enqueue("send-newsletter", letter, idempotency_key=f"letter-{slot}")
