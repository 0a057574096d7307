"""`copy`: move everything from one database into another."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import click

from service.cli.progress import Progress
from service.cli.status import USAGE, fail, reported
from service.domain.clock import Clock
from service.runtime.clock import SystemClock
from service.store.copying.copy import copy as copy_database
from service.store.copying.source import at_rest
from service.store.database import Database
from service.store.migrate import Purpose
from service.store.opening import open_database
from service.store.urls import check_url, described

_BUSY_SECONDS = 60.0


def _checked(_: click.Context, __: click.Parameter, url: str) -> str:
    try:
        check_url(url)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    return url


@click.command()
@click.argument("source", metavar="FROM", callback=_checked)
@click.argument("target", metavar="TO", callback=_checked)
def copy(source: str, target: str) -> None:
    """Move everything from one database into another, and check it.

    FROM and TO are URLs, such as sqlite:///wf.db and postgresql://host/name. Stop every server
    and worker first: what is written meanwhile would be lost, and is refused. FROM is only read.
    TO must be empty. When it is cut off, the same command goes on where it was; until it has
    ended, no server starts on TO.
    """
    if described(source) == described(target):
        fail("FROM and TO are the same database.", USAGE)
    clock = SystemClock()
    with reported(), Progress(clock) as progress:
        rows = asyncio.run(_copy(source, target, clock, progress))
    click.echo(f"{described(target)}: {rows:,} rows are copied and checked.")


async def _copy(source: str, target: str, clock: Clock, progress: Progress) -> int:
    async with _opened(source, Purpose.COPY_FROM, clock) as there:
        await at_rest(there)  # before the target is made
        async with _opened(target, Purpose.COPY_INTO, clock) as here:
            return await copy_database(there, here, progress)


@asynccontextmanager
async def _opened(url: str, purpose: Purpose, clock: Clock) -> AsyncGenerator[Database]:
    database = await open_database(url, busy_timeout=_BUSY_SECONDS, clock=clock, purpose=purpose)
    try:
        yield database
    finally:
        await database.close()
