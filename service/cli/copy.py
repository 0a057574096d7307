"""`copy`: move everything from one database into another."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import click

from service.cli.status import reported
from service.runtime.clock import SystemClock
from service.settings import Settings
from service.store.copying.copy import copy as copy_database
from service.store.database import Database
from service.store.opening import open_database
from service.store.urls import described

_BUSY_SECONDS = 60.0


@click.command()
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
def copy(source: str, target: str) -> None:
    """Move everything from one database into another, and check it.

    FROM and TO are URLs, such as sqlite:///wf.db and postgresql://host/name. Stop every server
    and worker first: what is written meanwhile would be lost, and is refused. FROM is only read.
    TO must be empty. When it is cut off, the same command goes on where it was; until it has
    ended, no server starts on TO.
    """
    with reported():
        for url in (source, target):
            Settings.read(database=url)
        progress = Progress()
        rows = asyncio.run(_copy(source, target, progress))
        progress.end()
        click.echo(f"{described(target)}: {rows:,} rows are copied and checked.")


async def _copy(source: str, target: str, progress: "Progress") -> int:
    clock = SystemClock()
    async with _opened(source, clock) as there, _opened(target, clock) as here:
        return await copy_database(there, here, progress)


@asynccontextmanager
async def _opened(url: str, clock: SystemClock) -> AsyncGenerator[Database]:
    database = await open_database(url, busy_timeout=_BUSY_SECONDS, clock=clock)
    try:
        yield database
    finally:
        await database.close()


class Progress:
    """Shows how far it is: one line that changes on a terminal, else one for each table's end."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._shown = ""

    def __call__(self, what: str, table: str, done: int, total: int) -> None:
        """Show how many rows of a table are done."""
        line = f"{table}: {done:,} of {total:,} {what}"
        if self._live:
            click.echo(f"\r\x1b[K{line}", nl=False, err=True)
        elif done == total and line != self._shown:
            click.echo(line, err=True)
        self._shown = line

    def end(self) -> None:
        """Leave the line."""
        if self._live:
            click.echo("\r\x1b[K", nl=False, err=True)
