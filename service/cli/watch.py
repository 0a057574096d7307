"""`watch`: follow events as they happen."""

from contextlib import aclosing

import click

from service.cli.asking import Service, service_options
from service.cli.following import follow_to_the_end, show_event
from service.client import Client, EventType


@click.command()
@click.argument("instance_id", metavar="[ID]", required=False)
@click.option("--name", help="Of this workflow only.")
@click.option("--queue", help="Of this queue only.")
@click.option(
    "--type",
    "types",
    multiple=True,
    type=click.Choice(EventType, case_sensitive=False),
    help="Of this type only; may be given again.",
)
@click.option("--after", metavar="CURSOR", help='Go on after this event; "" is the oldest kept.')
@click.option("--until-end", is_flag=True, help="Stop when the instance has ended; needs ID.")
@service_options
def watch(
    service: Service,
    instance_id: str | None,
    *,
    name: str | None,
    queue: str | None,
    types: tuple[EventType, ...],
    after: str | None,
    until_end: bool,
) -> None:
    """Print events as they happen.

    All of them, or those of the instance ID, until Ctrl-C. With ID it begins with the instance's
    first event, else with what happens from now on. Lost connections are made again, and nothing
    is missed. With --until-end the exit status is 0 when the instance completed, and 1 when it
    failed or was cancelled.
    """
    if until_end and (instance_id is None or name or queue or types):
        raise click.UsageError("--until-end needs the ID of an instance, and no other filter.")

    async def talk(client: Client) -> None:
        if instance_id is not None:
            await client.handle(instance_id)
        start = "" if after is None and instance_id is not None else after
        if until_end and instance_id is not None:
            await follow_to_the_end(client, instance_id, start or "", json=service.json)
            await (await client.handle(instance_id)).result()
            return
        events = client.watch(instance_id, name=name, queue=queue, types=types or None, after=start)
        async with aclosing(events):
            async for event in events:
                show_event(event, whose=instance_id is None, json=service.json)

    service.ask(talk, follow=True)
