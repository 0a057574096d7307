"""The probes: whether the process lives, and whether it may be sent requests."""

from collections.abc import Awaitable, Callable

from starlette.types import Receive, Scope, Send

from service.bootstrap import Service
from service.runtime.health import Report
from service.web.answering import answer_json

Ask = Callable[[Service], Awaitable[Report]]


class Probe:
    """An ASGI application: 200 when what it asks about is so, and 503 when it is not."""

    def __init__(self, ask: Ask) -> None:
        self.service: Service | None = None
        self._ask = ask

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if self.service is None:
            report = Report(ok=False, details={"open": False})
        else:
            report = await self._ask(self.service)
        await answer_json(send, 200 if report.ok else 503, {"ok": report.ok, **report.details})


async def live(service: Service) -> Report:
    """Return whether the event loops turn; a blocked one is named."""
    return service.health.live()


async def ready(service: Service) -> Report:
    """Return whether the database answers and the process is not stopping."""
    return await service.health.ready()
