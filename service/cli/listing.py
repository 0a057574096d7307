"""`list`: which instances there are."""

from contextlib import aclosing
from datetime import UTC, datetime

import click

from service.cli.asking import Service, service_options
from service.cli.printing import as_json, moment, table
from service.client import Client, Instance, Order, Status

HEADS = ("ID", "WORKFLOW", "QUEUE", "STATUS", "FAILED", "CREATED", "LAST ERROR")
MOMENT = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S"])


@click.command("list")
@click.option("--name", "names", multiple=True, help="Of this workflow; may be given again.")
@click.option("--queue", "queues", multiple=True, help="In this queue; may be given again.")
@click.option(
    "--status",
    "statuses",
    multiple=True,
    type=click.Choice(Status, case_sensitive=False),
    help="Standing here; may be given again.",
)
@click.option("--idempotency-key", help="With this key.")
@click.option("--singleton-key", help="With this key.")
@click.option("--created-after", type=MOMENT, help="Created at this time, UTC, or later.")
@click.option("--created-before", type=MOMENT, help="Created earlier than this time, UTC.")
@click.option("--oldest-first", is_flag=True, help="Instead of newest first.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=50, show_default=True, help="Rows at most."
)
@service_options
def list_instances(
    service: Service,
    names: tuple[str, ...],
    queues: tuple[str, ...],
    statuses: tuple[Status, ...],
    created_after: datetime | None,
    created_before: datetime | None,
    *,
    oldest_first: bool,
    limit: int,
    **keys: str | None,
) -> None:
    """List instances, newest first."""

    async def talk(client: Client) -> None:
        found = client.list(
            names=names or None,
            queues=queues or None,
            statuses=statuses or None,
            created_after=created_after and created_after.replace(tzinfo=UTC),
            created_before=created_before and created_before.replace(tzinfo=UTC),
            order=Order.OLDEST_FIRST if oldest_first else Order.NEWEST_FIRST,
            **keys,
        )
        rows: list[Instance] = []
        async with aclosing(found):
            async for instance in found:
                if service.json:
                    click.echo(as_json(instance))
                rows.append(instance)
                if len(rows) == limit:
                    break
        if not service.json:
            click.echo(table(HEADS, [_row(instance) for instance in rows]))

    service.ask(talk)


def _row(instance: Instance) -> tuple[str, ...]:
    return (
        instance.id,
        instance.name,
        instance.queue,
        instance.status,
        str(instance.attempts),
        moment(instance.created_at),
        instance.last_error or "",
    )
