"""`serve`: the API, and a worker beside it."""

import click

from service.cli.banner import show_banner
from service.cli.loading import load
from service.cli.options import server_options
from service.cli.running import Plan, run
from service.cli.status import reported
from service.settings import Settings
from service.web.app import build_app


@click.command()
@click.argument("workflows", metavar="MODULE:WORKFLOWS")
@click.option("--no-worker", is_flag=True, help="Answer only; run nothing.")
@server_options
def serve(
    workflows: str, *, no_worker: bool, host: str | None, port: int | None, database: str | None
) -> None:
    """Serve the API, and run the workflows, of MODULE:WORKFLOWS.

    That names a `Workflows()` as Python imports it, such as app:workflows; `:workflows` may be
    left out. SIGTERM or Ctrl-C stops it in order, with exit status 0: running work gets its grace
    and is then given back. A second one ends it now.
    """
    with reported():
        settings = Settings.read(host=host, port=port, database=database)
        registry = load(workflows)
    run(
        Plan(
            settings=settings,
            registry=registry,
            app=build_app,
            worker=not no_worker,
            started=lambda address: show_banner(address, settings, registry),
        )
    )
