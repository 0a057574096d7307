"""Prints what happens to an instance, up to its end."""

import asyncio
from contextlib import aclosing

import click

from service.cli.printing import as_json, event_line
from service.cli.status import REFUSED
from service.client import Client, Event, Handle, WorkflowEnded
from service.domain.events import TERMINAL


def show_event(event: Event, *, whose: bool, json: bool) -> None:
    """Print the event in a line."""
    click.echo(as_json(event) if json else event_line(event, whose=whose))


async def follow_to_the_end(client: Client, instance_id: str, after: str, *, json: bool) -> None:
    """Print the events after the cursor, up to the one that ended the instance for good."""
    async with aclosing(client.watch(instance_id, after=after)) as events:
        async for event in events:
            show_event(event, whose=False, json=json)
            if event.type in TERMINAL and await _is_last(client, event):
                return


async def wait_for_result(handle: Handle, seconds: float | None, *, json: bool) -> None:
    """Print what happens to the instance and then its output, or end with what became of it."""
    try:
        async with asyncio.timeout(seconds):
            if not handle.instance.ended:
                await follow_to_the_end(handle.client, handle.id, handle.cursor, json=json)
    except TimeoutError:
        raise TimeoutError(
            f"{handle.id} has not ended in {seconds:g} s, and goes on. `watch` follows it."
        ) from None
    ended = await handle.client.handle(handle.id)
    if json:
        click.echo(as_json(ended.instance))
    try:
        output = await ended.result()
    except WorkflowEnded:
        if json:
            raise SystemExit(REFUSED) from None
        raise
    if not json:
        click.echo(as_json(output))


async def _is_last(client: Client, event: Event) -> bool:
    async with aclosing(client.history(event.instance_id, after=event.cursor)) as later:
        return await anext(later, None) is None
