"""`demo`: a service with something to look at."""

import asyncio
from contextlib import suppress

import click

from service.cli.banner import show_banner
from service.cli.options import server_options
from service.cli.part import Part
from service.cli.running import Plan, run
from service.cli.status import reported
from service.client import Client
from service.demo.producer import produce
from service.demo.workflows import workflows
from service.runtime.clock import SystemClock
from service.settings import Settings
from service.web.app import build_app

DATABASE = "sqlite:///workflow-demo.db"


class ProducerPart(Part):
    """Places orders, as a client of the server that it is a part of."""

    name = "producer"

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url = url

    async def live(self) -> None:
        """Order until it is stopped."""
        async with Client(self._url) as client:
            producing = asyncio.create_task(produce(client, SystemClock()))
            self.ready()
            await self.stopping.wait()
            producing.cancel()
            with suppress(asyncio.CancelledError):
                await producing


@click.command()
@server_options
def demo(host: str | None, port: int | None, database: str | None) -> None:
    """Serve a shop that takes an order every other second.

    Its payments fail now and then and are tried again, one of its goods is sold out for ever, and
    newsletters go out. Without --database it keeps all of that in workflow-demo.db in the working
    directory.
    """
    with reported():
        settings = Settings.read(host=host, port=port, database=database)
    if "database" not in settings.model_fields_set:
        settings = settings.model_copy(update={"database": DATABASE})
    run(
        Plan(
            settings=settings,
            registry=workflows,
            app=build_app,
            worker=True,
            started=lambda address: show_banner(address, settings, workflows),
            more=lambda address: [ProducerPart(f"{address}/graphql")],
        )
    )
