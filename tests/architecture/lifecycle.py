"""Prints `docs/lifecycle.md` from the moves: `python -m tests.architecture.lifecycle`."""

from collections import defaultdict
from collections.abc import Iterator

from service.domain.instance import Status
from service.domain.moves import MOVES, Move

_HEAD = """\
# Lifecycle

Printed by `make docs` from `service/domain/moves.py`, where every move that an instance can make is
spelled once; a test keeps the two equal. Each move is one guarded write, in one transaction with
the event that tells of it: what doesn't meet the guard changes nothing.
"""

_TAIL = """\
## What the moves count

- **Attempts** are the failures of the current visit. A retry runs the same action again, from the
  state and params of its checkpoint; the next checkpoint sets the count back to 0.
- **Losses** are the workers that were gone while they held the instance, and are counted apart: the
  next checkpoint sets them back to 0, and the loss after `max_lost` ends the instance.
- **Fence** grows at each claim. What a worker writes carries the fence of its claim and the visit,
  and matches nothing once another has claimed the instance.
- A **requeue** goes back to the last checkpoint, with attempts and losses at 0 and no cancel
  requested.

## Cancelling what runs

Asking to cancel changes no status: the worker that holds the instance is told, and cancels the
action. From then on whichever move in the table says *aborts* becomes an abort. A completion that
is written before the worker has delivered the cancel stands: the instance is `COMPLETED`.

## The end

What has ended is changed by nothing but a requeue, and goes when it is pruned. Its terminal event
is its last one until then.
"""


def page() -> str:
    """Return the page."""
    return "\n".join([_HEAD, _diagram(), _table(), *_unreached(), _TAIL])


def _diagram() -> str:
    labels: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for move in MOVES:
        for source in move.sources or ("[*]",):
            labels[source, move.target].append(move.name)
    arrows = [
        f"    {source} --> {target}: {', '.join(names)}"
        for (source, target), names in labels.items()
    ]
    return "\n".join(["```mermaid", "stateDiagram-v2", *arrows, "```", ""])


def _table() -> str:
    head = ["| move | from → to | event | guard | cancel requested |", "|---|---|---|---|---|"]
    return "\n".join([*head, *map(_row, MOVES), ""])


def _row(move: Move) -> str:
    sources = ", ".join(f"`{source}`" for source in move.sources) or "–"
    cancelled = "aborts" if move.yields else ""
    cells = [move.name, f"{sources} → `{move.target}`", f"`{move.event}`", move.guard, cancelled]
    return f"| {' | '.join(cells)} |"


def _unreached() -> Iterator[str]:
    """Yield a line on the statuses to which no move leads."""
    names = [f"`{status}`" for status in Status if status not in {move.target for move in MOVES}]
    if names:
        yield f"No move leads to {', '.join(names)} yet.\n"


if __name__ == "__main__":
    print(page(), end="")  # noqa: T201 - into the file that make names
