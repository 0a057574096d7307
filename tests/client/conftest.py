import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest_asyncio

from service.bootstrap import open_service
from service.settings import Settings
from service.web.app import build_app
from service.web.listening import bind
from service.web.serving import Serving
from tests.client.flows import make
from tests.services import url

__all__ = ["url"]


@pytest_asyncio.fixture
async def port(tmp_path: Path, url: str) -> AsyncGenerator[int]:
    """A service with the workflows of `flows`, on this event loop; the port that it listens on."""
    settings = Settings.read(database=url, grace="1s", tick="0.2s")
    async with open_service(settings, make(tmp_path)) as service:
        bound = bind("127.0.0.1", 0)
        serving = Serving(build_app(service, settings), bound, body_limit=settings.body_limit)
        ready = asyncio.Event()
        running = asyncio.create_task(serving.run(ready.set))
        await ready.wait()
        yield bound.getsockname()[1]
        serving.stop(1)
        await running
