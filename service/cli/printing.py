"""What the commands print: lines and tables for people, or one JSON object a line."""

import json
from collections.abc import Sequence
from datetime import datetime

import click
from pydantic_core import to_jsonable_python

from service.client import Event, Failure, Instance

COLOURS = {
    "COMPLETED": "green",
    "FAILED": "red",
    "CANCELLED": "yellow",
    "RETRYING": "yellow",
    "RUNNING": "cyan",
    "STARTED": "cyan",
}
LONGEST_CELL = 60


def as_json(thing: object, **more: object) -> str:
    """Return something that the client told of, and more beside it, as one line of JSON."""
    plain = to_jsonable_python(thing)
    return json.dumps({**plain, **to_jsonable_python(more)} if more else plain)


def moment(at: datetime | None) -> str:
    """Return the moment to the millisecond, in UTC."""
    return "" if at is None else f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03d}Z"


def clean(text: str) -> str:
    """Return the text with what would move a terminal's cursor or colours written out."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return the rows under their heads, each column but the last as wide as its longest cell."""
    cells = [[_cell(text) for text in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    widths[-1] = 0
    lines = [[click.style(head, bold=True) for head in _padded(heads, widths)]]
    for row in cells:
        colours = [COLOURS.get(cell) for cell in row]
        lines.append(
            [
                click.style(cell, fg=colour) if colour else cell
                for cell, colour in zip(_padded(row, widths), colours, strict=True)
            ]
        )
    return "\n".join("  ".join(line).rstrip() for line in lines)


def instance_line(instance: Instance) -> str:
    """Return where the instance stands, in a line."""
    line = f"{instance.id}  {clean(instance.name)}  {_status(instance.status)}"
    return line + (f"  {clean(instance.last_error)}" if instance.last_error else "")


def event_line(event: Event, *, whose: bool) -> str:
    """Return the event in a line; with whose it is, if it matters."""
    words = [moment(event.at), click.style(f"{event.type:<16}", fg=COLOURS.get(event.type))]
    if whose:
        words += [event.instance_id, clean(event.name)]
    if event.action:
        words.append(clean(event.action))
    if event.attempt and event.attempt > 1:
        words.append(f"attempt {event.attempt}")
    if event.error:
        words.append(clean(event.error))
    return "  ".join(words).rstrip()


def failure_line(failure: Failure) -> str:
    """Return the failed attempt in a line."""
    what = f"{clean(failure.error_type)}: {clean(failure.message)}"
    return f"{moment(failure.at)}  {clean(failure.action)}  attempt {failure.attempt}  {what}"


def facts(instance: Instance) -> str:
    """Return everything about the instance, a fact a line."""
    shown = {
        "id": instance.id,
        "workflow": clean(instance.name),
        "queue": clean(instance.queue),
        "status": _status(instance.status),
        "priority": str(instance.priority),
        "attempts": f"{instance.attempts} of {instance.max_attempts} failed",
        "last error": clean(instance.last_error or ""),
        "idempotency key": clean(instance.idempotency_key or ""),
        "singleton key": clean(instance.singleton_key or ""),
        "created": moment(instance.created_at),
        "run after": moment(instance.run_after),
        "started": moment(instance.started_at),
        "finished": moment(instance.finished_at),
        "input": json.dumps(instance.input),
        "output": json.dumps(instance.output) if instance.status == "COMPLETED" else "",
    }
    return "\n".join(f"{name:<16} {value}" for name, value in shown.items() if value)


def _status(status: str) -> str:
    return click.style(status, fg=COLOURS.get(status))


def _cell(text: str) -> str:
    text = clean(text)
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"


def _padded(row: Sequence[str], widths: Sequence[int]) -> Sequence[str]:
    return [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
