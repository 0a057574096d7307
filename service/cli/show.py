"""`show`: everything about one instance."""

import click

from service.cli.asking import Service, service_options
from service.cli.printing import as_json, event_line, facts, failure_line
from service.client import Client


@click.command()
@click.argument("instance_id", metavar="ID")
@service_options
def show(service: Service, instance_id: str) -> None:
    """Show everything about the instance ID.

    That is its facts, its failed attempts, and its events that are kept.
    """

    async def talk(client: Client) -> None:
        instance = (await client.handle(instance_id)).instance
        failures = [failure async for failure in client.failures(instance_id)]
        events = [event async for event in client.history(instance_id)]
        if service.json:
            click.echo(as_json(instance, failures=failures, events=events))
            return
        click.echo(facts(instance))
        for title, lines in (
            ("Failed attempts", [failure_line(failure) for failure in failures]),
            ("Events", [event_line(event, whose=False) for event in events]),
        ):
            if lines:
                click.secho(f"\n{title}", bold=True)
                click.echo("\n".join(lines))

    service.ask(talk)
