"""What a server shows to the person who started it."""

import json
import logging
import shlex
import sys
from collections.abc import Mapping
from typing import cast

import click

from service.cli.example import example_of
from service.domain.registry import Workflows
from service.settings import LOCAL, Settings

_log = logging.getLogger(__name__)


def show_banner(address: str, settings: Settings, registry: Workflows) -> None:
    """Say, on a terminal, where the API is and what to try; elsewhere log the address."""
    url = f"{address}/graphql"
    if not sys.stdout.isatty():
        facts = {"url": url, "database": settings.database_name}
        _log.info("The service is at %s.", url, extra=facts)
        return
    names = list(registry.definitions)
    facts = {
        "GraphQL": url + ("   (opens in a browser too)" if settings.ide else ""),
        "Database": settings.database_name,
        "Workflows": ", ".join(names) or "none yet",
    }
    lines = [f"  {click.style(f'{name:<10}', bold=True)} {value}" for name, value in facts.items()]
    if names:
        lines += _trial(url, names[0], registry)
    click.echo("\n" + "\n".join(lines) + "\n\n  Ctrl-C stops it.\n")


def _trial(url: str, name: str, registry: Workflows) -> list[str]:
    params = example_of(registry.get(name).input.json_schema())
    given = f", params: {literal(params)}" if params is not None else ""
    mutation = (
        f"mutation {{ enqueue(input: {{name: {json.dumps(name)}{given}}}) "
        "{ instance { instanceID status } cursor } }"
    )
    words = ["workflow-service", "enqueue", name]
    words += [json.dumps(params)] if params is not None else []
    there = "" if url == LOCAL else f" --url {url}"
    return [
        "",
        "  Paste this there:",
        f"    {mutation}",
        "",
        "  or, in another terminal:",
        f"    {shlex.join(words)} --wait{there}",
        f"    workflow-service watch{there}",
    ]


def literal(value: object) -> str:
    """Return the JSON value as GraphQL writes it: names of fields have no quotes."""
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, object]", value)
        return "{" + ", ".join(f"{key}: {literal(each)}" for key, each in fields.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, cast("list[object]", value))) + "]"
    return json.dumps(value)
