"""The part of a server that runs workflows: authors' code has its event loop to itself."""

from service.bootstrap import Service, open_service
from service.cli.grace import Grace
from service.cli.meeting import Meeting
from service.cli.part import Part
from service.domain.registry import Workflows
from service.settings import Settings


class WorkerPart(Part):
    """Claims and runs instances."""

    name = "worker"

    def __init__(
        self, settings: Settings, registry: Workflows, grace: Grace, meeting: Meeting
    ) -> None:
        super().__init__()
        self._settings = settings
        self._registry = registry
        self._grace = grace
        self._meeting = meeting
        self._service: Service | None = None

    async def live(self) -> None:
        """Run instances until it is stopped; then give them the grace, and give them back."""
        async with open_service(self._settings, self._registry, worker=True) as service:
            self._service = service
            self._meeting.join(service)
            self.ready()
            await self.stopping.wait()
            await service.drain(self._grace.to_run)

    def abandon(self) -> None:
        """Give back what is held, though the event loop is blocked."""
        if self._service is not None:
            self._service.abandon()
