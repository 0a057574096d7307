"""`migrate`: bring the database up to date."""

import click

from service.cli.options import database_option
from service.cli.status import reported
from service.runtime.clock import SystemClock
from service.settings import Settings
from service.store.opening import migrate_database


@click.command()
@database_option
def migrate(database: str | None) -> None:
    """Make the database if there is none, and bring it up to date.

    Servers do the same when they start.
    """
    with reported():
        settings = Settings.read(database=database)
        applied = migrate_database(
            settings.database,
            busy_timeout=settings.busy_timeout.total_seconds(),
            clock=SystemClock(),
        )
        numbers = ", ".join(map(str, applied)) or "none was missing"
        click.echo(f"{settings.database_name}: up to date. Migrations applied: {numbers}.")
