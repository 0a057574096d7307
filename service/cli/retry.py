"""`retry`: put an ended instance back at its last checkpoint."""

import click

from service.cli.asking import Service, service_options
from service.cli.following import wait_for_result
from service.cli.printing import as_json, instance_line
from service.client import Client


@click.command()
@click.argument("instance_id", metavar="ID")
@click.option("--request-id", help="Names this request: sent twice, it does one.")
@click.option("--wait", is_flag=True, help="Print what happens, and then the result.")
@click.option("--timeout", type=float, metavar="SECONDS", help="Wait no longer than this.")
@service_options
def retry(
    service: Service,
    instance_id: str,
    *,
    request_id: str | None,
    wait: bool,
    timeout: float | None,
) -> None:
    """Put the instance ID back that has ended.

    It failed or was cancelled, and goes on from its last checkpoint.
    """

    async def talk(client: Client) -> None:
        handle = await client.retry(instance_id, request_id=request_id)
        click.echo((as_json if service.json else instance_line)(handle.instance))
        if wait:
            await wait_for_result(handle, timeout, json=service.json)

    service.ask(talk, follow=wait)
