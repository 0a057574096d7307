"""The part of a server that talks: HTTP and WebSockets have an event loop to themselves."""

import asyncio
import socket
from collections.abc import Callable

from starlette.applications import Starlette

from service.bootstrap import Service, open_service
from service.cli.grace import Grace
from service.cli.meeting import Meeting
from service.cli.part import Part
from service.domain.registry import Workflows
from service.settings import Settings
from service.web.serving import Serving

MakeApp = Callable[[Service, Settings], Starlette]


class WebPart(Part):
    """Answers on a socket that is bound already, through a service that runs nothing."""

    name = "web"

    def __init__(
        self,
        settings: Settings,
        registry: Workflows,
        grace: Grace,
        meeting: Meeting,
        *,
        bound: socket.socket,
        make_app: MakeApp,
    ) -> None:
        super().__init__()
        self._settings = settings
        self._registry = registry
        self._grace = grace
        self._meeting = meeting
        self._bound = bound
        self._make_app = make_app

    async def live(self) -> None:
        """Answer until it is stopped; then close every connection within the grace."""
        async with open_service(self._settings, self._registry, worker=False) as service:
            self._meeting.join(service)
            serving = Serving(
                self._make_app(service, self._settings),
                self._bound,
                body_limit=self._settings.body_limit,
            )
            running = asyncio.create_task(serving.run(self.ready))
            stopping = asyncio.create_task(self.stopping.wait())
            await asyncio.wait((running, stopping), return_when=asyncio.FIRST_COMPLETED)
            await service.drain(0)
            serving.stop(self._grace.to_run)
            stopping.cancel()
            await running
