from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

import pytest

from service.client import Client, EventType
from tests.processes import Process

Start = Callable[..., Process]


@pytest.fixture(scope="module")
def dialect() -> str:
    """It has a file of its own."""
    return "sqlite"


async def test_there_is_something_to_look_at(start: Start, tmp_path: Path) -> None:
    server = start("demo", WORKFLOW_DATABASE="").ready()
    async with (
        Client(server.url) as client,
        aclosing(client.watch(name="fulfil-order", after="")) as events,
    ):
        async for event in events:
            if event.type is EventType.CHECKPOINT:
                break
    assert (tmp_path / "workflow-demo.db").exists()
    assert server.stop() == 0
