"""`schema`: print the GraphQL schema."""

import click

from service.graphql.schema import sdl


@click.command()
def schema() -> None:
    """Print the GraphQL schema, for code generators and editors."""
    click.echo(sdl(), nl=False)
