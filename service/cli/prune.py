"""`prune`: delete what is older than the retention."""

import asyncio

import click

from service import Workflows
from service.bootstrap import open_service
from service.cli.options import database_option
from service.cli.status import REFUSED, fail, reported
from service.domain.clock import micros
from service.runtime.clock import SystemClock
from service.runtime.pruner import Pruner
from service.settings import Settings


@click.command()
@database_option
@click.option("--retention", metavar="SPAN", help="Such as 30d or 12h.  [env: WORKFLOW_RETENTION]")
def prune(database: str | None, retention: str | None) -> None:
    """Delete what is older than the retention.

    That is instances that have ended, and events. Workers do the same as they run. It goes in
    small batches, which hold nobody up.
    """
    with reported():
        settings = Settings.read(database=database, retention=retention)
        path = settings.database_path
        if path is not None and not path.exists():
            fail(f"There is no file {path}. --database names another.", REFUSED)
        rows = asyncio.run(_prune(settings))
        click.echo(f"{settings.database_name}: {rows} rows are gone.")


async def _prune(settings: Settings) -> int:
    clock = SystemClock()
    async with open_service(settings, Workflows(), clock=clock, worker=False) as service:
        pruner = Pruner(
            service.store, clock, age=micros(settings.retention), batch=settings.prune_batch
        )
        return await pruner.prune()
