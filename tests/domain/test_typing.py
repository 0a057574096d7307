"""What a type checker in strict mode says of an author's code."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

RIGHT = """
from dataclasses import dataclass
from datetime import timedelta

from service import Context, End, Ended, Next, Rate, Retry, Workflows


@dataclass
class Order:
    cents: int
    address: str


@dataclass
class Progress:
    charge: str | None = None


@dataclass
class Receipt:
    charge: str


@dataclass
class Ship:
    address: str


async def told(ended: Ended[Receipt]) -> None:
    print(ended.output.charge if ended.output else ended.error)


workflows = Workflows()
workflows.queue("orders", concurrency=20, rate=Rate(600, per=timedelta(minutes=1)))
fulfil = workflows.machine(
    "fulfil-order",
    input=Order,
    state=Progress,
    output=Receipt,
    queue="orders",
    retry=Retry(max_attempts=5, backoff="fixed"),
    on_terminal=told,
)


@fulfil.action
async def pay(ctx: Context[Progress], order: Order) -> Next | End[Receipt]:
    ctx.state.charge = str(order.cents)
    ctx.log.info("paid %s on attempt %d", ctx.instance_id, ctx.attempt)
    return ship.next(Ship(order.address), after=timedelta(hours=1))


@fulfil.action(retry=Retry(max_attempts=10), timeout=timedelta(minutes=2))
async def ship(ctx: Context[Progress], params: Ship) -> End[Receipt]:
    return End(Receipt(ctx.state.charge or params.address))


@workflows.workflow(queue="people", on_terminal=told)
async def onboard(ctx: Context[None], params: list[str] | None) -> Receipt:
    return Receipt(ctx.workflow + ctx.action)


@workflows.workflow
async def plain(ctx: Context[None], params: None) -> dict[str, int]:
    return {}


def empty(given: int | None) -> dict[str, int]:
    return {}


counted = workflows.machine("counted", input=int | None, state=dict[str, int], initial=empty)


@counted.action
async def count(ctx: Context[dict[str, int]], params: int | None) -> Next | End[None]:
    return End(None) if params else count.next(1)
"""

WRONG = """
from right import Order, Progress, Receipt, Ship, empty, fulfil, ship, told, workflows
from service import Context, End, Next


@fulfil.action
async def wrong_next(ctx: Context[Progress], order: Order) -> Next | End[Receipt]:
    return ship.next(order)  # wrong


@fulfil.action
async def wrong_end(ctx: Context[Progress], order: Order) -> Next | End[Receipt]:
    return End(order)  # wrong


@fulfil.action  # wrong
async def other_end(ctx: Context[Progress], order: Order) -> Next | End[Order]:
    return End(order)


@fulfil.action  # wrong
async def other_state(ctx: Context[Order], order: Order) -> Next | End[Receipt]:
    return ship.next(Ship(ctx.state.address))


@fulfil.action  # wrong
def not_async(ctx: Context[Progress], order: Order) -> Next | End[Receipt]:
    return ship.next(Ship(order.address))


@fulfil.action(timeout=5)  # wrong
async def wrong_timeout(ctx: Context[Progress], order: Order) -> Next | End[Receipt]:
    return ship.next(Ship(ctx.state.cents))  # wrong


@workflows.workflow  # wrong
async def with_state(ctx: Context[Order], params: Order) -> str:
    return ""


@workflows.workflow(on_terminal=told)  # wrong
async def wrong_hook(ctx: Context[None], params: None) -> str:
    return ""


workflows.machine("other", input=Order, state=dict[str, int], initial=empty)  # wrong
workflows.machine("another", input=Order, output=Order, on_terminal=told)  # wrong
"""


def test_wrong_types_are_caught_and_right_ones_are_not(tmp_path: Path) -> None:
    (tmp_path / "right.py").write_text(RIGHT)
    (tmp_path / "wrong.py").write_text(WRONG)
    config = {"typeCheckingMode": "strict", "extraPaths": [str(ROOT)], "include": ["."]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config))
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    run = subprocess.run(
        [*command, "--project", str(tmp_path)], capture_output=True, text=True, check=False
    )
    found = json.loads(run.stdout)["generalDiagnostics"]
    told = {(Path(each["file"]).name, each["range"]["start"]["line"]) for each in found}
    lines = WRONG.splitlines()
    wrong = {("wrong.py", n) for n, line in enumerate(lines) if line.endswith("# wrong")}
    assert told == wrong, json.dumps(found, indent=2)
