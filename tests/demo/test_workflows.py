import pytest

from service.bootstrap import Service, open_service
from service.demo import workflows as shop
from service.domain.instance import Instance, Status
from service.domain.interest import Interest
from service.operations.workflows import EnqueueRequest
from service.settings import Settings
from tests.services import url

__all__ = ["url"]


async def ended(service: Service, name: str, params: object) -> Instance:
    """Run an instance to its end."""
    enqueued = await service.workflows.enqueue(EnqueueRequest(name=name, params=params))
    interest = Interest(instance_id=enqueued.instance.id)
    async for event in service.events.follow(interest, enqueued.cursor):
        if event.status in (Status.COMPLETED, Status.FAILED):
            break
    instance = await service.workflows.get(enqueued.instance.id)
    assert instance is not None
    return instance


@pytest.fixture
def settings(url: str) -> Settings:
    return Settings.read(database=url, grace="1s")


async def test_an_order_is_paid_in_spite_of_its_provider_and_shipped(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = iter([0.0, 1.0])
    monkeypatch.setattr(shop, "_chance", lambda: next(tries))
    async with open_service(settings, shop.workflows) as service:
        order = {"sku": "tea", "cents": 500, "address": "1 Harbour Street"}
        instance = await ended(service, "fulfil-order", order)
    assert instance.status is Status.COMPLETED
    assert instance.output is not None
    assert "track-" in instance.output
    assert next(tries, None) is None


async def test_what_is_sold_out_fails_at_once_and_is_not_tried_again(settings: Settings) -> None:
    async with open_service(settings, shop.workflows) as service:
        order = {"sku": shop.SOLD_OUT, "cents": 500, "address": "1 Harbour Street"}
        instance = await ended(service, "fulfil-order", order)
    assert (instance.status, instance.attempts) == (Status.FAILED, 1)
    assert "Order more of it" in str(instance.last_error)


async def test_a_newsletter_reaches_every_reader(settings: Settings) -> None:
    async with open_service(settings, shop.workflows) as service:
        instance = await ended(service, "send-newsletter", {"subject": "News", "readers": 2})
    assert instance.output == '{"count":2}'
