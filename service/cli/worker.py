"""`worker`: run workflows, without the API."""

import logging

import click
from starlette.applications import Starlette
from starlette.routing import Route

from service.bootstrap import Service
from service.cli.loading import load
from service.cli.options import server_options
from service.cli.running import Plan, run
from service.cli.status import reported
from service.settings import Settings
from service.web.health import Probe, live, ready

_log = logging.getLogger(__name__)


@click.command()
@click.argument("workflows", metavar="MODULE:WORKFLOWS")
@server_options
def worker(workflows: str, host: str | None, port: int | None, database: str | None) -> None:
    """Run workflows, without the API.

    They are those of MODULE:WORKFLOWS, and other processes may run more of them on the same
    database. On its address it answers /health and /ready only. It stops as `serve` does.
    """
    with reported():
        settings = Settings.read(host=host, port=port, database=database)
        registry = load(workflows)

    def started(address: str) -> None:
        names = ", ".join(sorted(registry.definitions)) or "none"
        _log.info("The worker runs. Health: %s/health. Workflows: %s.", address, names)

    run(
        Plan(
            settings=settings,
            registry=registry,
            app=_probes,
            worker=True,
            started=started,
        )
    )


def _probes(service: Service, settings: Settings) -> Starlette:
    alive, willing = Probe(live), Probe(ready)
    alive.service = willing.service = service
    return Starlette(routes=[Route("/health", alive), Route("/ready", willing)])
