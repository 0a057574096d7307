"""What PostgreSQL means to do for a statement of ours, and what it did."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from service.store.postgres.transaction import SQL
from service.store.postgres.wire import Wire

Node = Mapping[str, Any]

_VALUES = {
    "text[]": "{a}",
    "bigint[]": "{1}",
    "integer[]": "{1}",
    "boolean[]": "{t}",
    "bigint": "1",
    "json": '["a"]',
}


def explained(wire: Wire, name: str, mode: str) -> list[Node]:
    """Return the steps for a named statement, with some params or with whatever params."""
    wire.send(f"SET plan_cache_mode = force_{mode}_plan", kept=False)
    wire.script(f"PREPARE explained AS {SQL[name]}")
    given = ", ".join(f"'{value}'" for value in _some(SQL[name]))
    call = f"EXECUTE explained ({given})" if given else "EXECUTE explained"
    reply = wire.send(f"EXPLAIN (FORMAT JSON) {call}", kept=False)
    wire.send("DEALLOCATE explained", kept=False)
    wire.receive()
    return steps(reply.rows)


def steps(rows: Any) -> list[Node]:
    """Return every step of the plan in the answer to an EXPLAIN."""
    return list(_walk(rows[0][0][0]["Plan"]))


def indexes(plan: list[Node]) -> set[str]:
    """Return the indexes that a plan goes by."""
    return {step["Index Name"] for step in plan if "Index Name" in step}


def rows_touched(plan: list[Node]) -> float:
    """Return how many rows a plan that was carried out has looked at, in all its steps."""
    looked = ("Actual Rows", "Rows Removed by Filter", "Rows Removed by Join Filter")
    return sum(step["Actual Loops"] * sum(step.get(each, 0) for each in looked) for step in plan)


def _walk(step: Node) -> Iterator[Node]:
    yield step
    for part in step.get("Plans", []):
        yield from _walk(part)


def _some(text: str) -> Iterator[str]:
    count = max(map(int, re.findall(r"\$(\d+)", text)), default=0)
    for number in range(1, count + 1):
        cast = re.search(rf"\${number}::(\w+(?:\[\])?)", text)
        yield _VALUES[cast[1]] if cast else "a"
