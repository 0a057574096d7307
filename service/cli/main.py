"""The `workflow-service` command."""

from importlib import import_module

import click

VERBS = {
    "demo": "demo:demo",
    "serve": "serve:serve",
    "worker": "worker:worker",
    "enqueue": "enqueue:enqueue",
    "show": "show:show",
    "list": "listing:list_instances",
    "watch": "watch:watch",
    "cancel": "cancel:cancel",
    "retry": "retry:retry",
    "migrate": "migrate:migrate",
    "prune": "prune:prune",
    "copy": "copy:copy",
    "schema": "schema:schema",
}
"""Each verb, and where it is: only the one that is used is imported, so that each starts fast."""


class Verbs(click.Group):
    """The verbs, in the order in which one meets them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return their names."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the verb, or None."""
        if cmd_name not in VERBS:
            return None
        module, _, attribute = VERBS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(f"service.cli.{module}"), attribute)
        return command


@click.command(
    cls=Verbs,
    epilog="Settings that have no option here are environment variables: see docs/settings.md.",
)
@click.version_option(package_name="workflow-service")
def main() -> None:
    """Durable workflows in Python behind a GraphQL API.

    \b
    Run a service:       demo, serve, worker
    Ask a running one:   enqueue, show, list, watch, cancel, retry
    See to a database:   migrate, prune, copy
    See the API:         schema

    \b
    Exit status: 0 done, 1 refused or failed, 2 wrong usage, 3 no service reached.
    """
