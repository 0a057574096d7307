"""`cancel`: end an instance before its time."""

import click

from service.cli.asking import Service, service_options
from service.cli.printing import as_json, instance_line
from service.client import CancelOutcome, Client

SAID = {
    CancelOutcome.CANCELLED: "cancelled",
    CancelOutcome.REQUESTED: "its worker was asked to cancel it; `watch` shows its end",
    CancelOutcome.ALREADY_ENDED: "it had ended before; nothing was changed",
}


@click.command()
@click.argument("instance_id", metavar="ID")
@click.option("--request-id", help="Names this request: sent twice, it does one.")
@service_options
def cancel(service: Service, instance_id: str, *, request_id: str | None) -> None:
    """Cancel the instance ID.

    If a worker runs it, that is asked to, and does so within a second.
    """

    async def talk(client: Client) -> None:
        cancelled = await client.cancel(instance_id, request_id=request_id)
        if service.json:
            click.echo(as_json(cancelled))
        else:
            click.echo(f"{instance_line(cancelled.instance)}  ({SAID[cancelled.outcome]})")

    service.ask(talk)
