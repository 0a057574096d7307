"""Where the services of one process meet, each on its own loop, to hear of each other's events."""

import threading

from service.bootstrap import Service, link


class Meeting:
    """Links every service that joins with those that did before; callable from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._services: list[Service] = []

    def join(self, service: Service) -> None:
        """Link the service."""
        with self._lock:
            for other in self._services:
                link(service, other)
            self._services.append(service)
