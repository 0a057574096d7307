"""Reads the params that a command is given: JSON, a file of it, or stdin."""

import json
import sys
from pathlib import Path

import click


class Params(click.ParamType[object]):
    """JSON as an argument; `@file` reads a file, `-` reads stdin."""

    name = "params"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> object:
        """Return the value that the text names."""
        if not isinstance(value, str):
            return value
        try:
            return json.loads(_text(value), parse_constant=_no_number)
        except OSError as error:
            self.fail(f"can't read {value[1:]}: {error.strerror}.", param, ctx)
        except ValueError as error:
            self.fail(
                f'is no JSON: {error}. Quote it for the shell, as in \'{{"sku": "tea"}}\', or '
                "give @file, or - for stdin.",
                param,
                ctx,
            )


def _text(value: str) -> str:
    if value == "-":
        return sys.stdin.read()
    if value.startswith("@"):
        return Path(value[1:]).read_text(encoding="utf-8")
    return value


def _no_number(name: str) -> object:
    raise ValueError(f"JSON has no {name}")
