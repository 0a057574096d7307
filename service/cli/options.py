"""Options that several verbs take; each comes before its environment variable."""

from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., None]

database_option = click.option(
    "--database",
    metavar="URL",
    help="Such as sqlite:///wf.db, sqlite:////var/lib/wf.db, or postgresql://host/name.  "
    "[env: WORKFLOW_DATABASE]",
)


def server_options(command: Command) -> Command:
    """Add --host, --port and --database."""
    options: tuple[Callable[[Any], Any], ...] = (
        click.option("--host", help="Address to listen on.  [env: WORKFLOW_HOST]"),
        click.option(
            "--port", type=int, help="Port to listen on; 0 is any free one.  [env: WORKFLOW_PORT]"
        ),
        database_option,
    )
    for option in reversed(options):
        command = option(command)
    return command
