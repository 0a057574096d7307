"""`enqueue`: start a workflow, and perhaps wait for its end."""

from typing import Any

import click

from service.cli.asking import Service, service_options
from service.cli.following import wait_for_result
from service.cli.given import Params
from service.cli.printing import as_json, instance_line
from service.client import Client, OnConflict


@click.command()
@click.argument("name")
@click.argument("params", type=Params(), required=False)
@click.option("--queue", help="The queue to wait in; by default the workflow's own.")
@click.option("--priority", type=int, help="Higher ones are claimed first; by default 0.")
@click.option("--idempotency-key", help="The same key gives the same instance, however often.")
@click.option("--singleton-key", help="At most one instance of the key runs at a time.")
@click.option(
    "--on-conflict",
    type=click.Choice(OnConflict, case_sensitive=False),
    default=OnConflict.RETURN,
    show_default=True,
    help="What to do when the singleton key is held.",
)
@click.option("--request-id", help="Names this request: sent twice, it starts one.")
@click.option("--wait", is_flag=True, help="Print what happens, and then the result.")
@click.option("--timeout", type=float, metavar="SECONDS", help="Wait no longer than this.")
@service_options
def enqueue(
    service: Service, name: str, params: object, *, wait: bool, timeout: float | None, **given: Any
) -> None:
    """Start the workflow NAME.

    PARAMS is its input as JSON, or @FILE, or - for stdin. With --wait the exit status is 0 when
    it completed, and 1 when it failed or was cancelled.
    """

    async def talk(client: Client) -> None:
        handle = await client.enqueue(name, params, **given)
        if service.json:
            click.echo(as_json(handle.instance, created=handle.created))
        else:
            note = "" if handle.created else "  (it was there before)"
            click.echo(instance_line(handle.instance) + note)
        if wait:
            await wait_for_result(handle, timeout, json=service.json)

    service.ask(talk, follow=wait)
