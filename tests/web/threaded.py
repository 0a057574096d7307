"""A web server in a thread of its own, so that nothing that blocks elsewhere blocks it."""

import asyncio
import logging
import socket
import threading
from collections.abc import Callable

from starlette.applications import Starlette
from uvicorn.loops.auto import auto_loop_factory

from service.web.listening import bind
from service.web.serving import Serving

TO_CLOSE = 0.7
"""The part of the time to stop in which connections may end; the rest is for the application."""

_log = logging.getLogger(__name__)


class WebServer:
    """Serves what `make_app` makes, which is called, opened and closed in the thread."""

    def __init__(
        self, make_app: Callable[[], Starlette], host: str, port: int, *, body_limit: int
    ) -> None:
        self.host = host
        self.port = port
        self._make_app = make_app
        self._body_limit = body_limit
        self._settled = threading.Event()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._serving: Serving | None = None
        self._error: BaseException | None = None

    def start(self) -> None:
        """Return when it serves; `port` is then the one that it listens on.

        Raises CannotListen, or whatever kept the application from opening.
        """
        bound = bind(self.host, self.port)
        self.port = bound.getsockname()[1]
        self._thread = threading.Thread(target=self._run, args=(bound,), name="web", daemon=True)
        self._thread.start()
        self._settled.wait()
        if self._error is not None:
            self._thread.join()
            raise self._error

    def stop(self, seconds: float) -> bool:
        """Close every connection, and return within so many seconds whether all has ended."""
        if self._thread is None or self._loop is None or self._serving is None:
            return True
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._serving.stop, seconds * TO_CLOSE)
            self._thread.join(seconds)
        if self._thread.is_alive():
            _log.warning("The web server has not ended in %g s; it is left behind.", seconds)
        return not self._thread.is_alive()

    def _run(self, bound: socket.socket) -> None:
        try:
            with asyncio.Runner(loop_factory=auto_loop_factory()) as runner:
                runner.run(self._serve(bound))
        except BaseException as error:
            if self._settled.is_set():
                _log.critical("The web server broke.", exc_info=error)
            self._error = error
        finally:
            bound.close()
            self._settled.set()

    async def _serve(self, bound: socket.socket) -> None:
        self._loop = asyncio.get_running_loop()
        self._serving = Serving(self._make_app(), bound, body_limit=self._body_limit)
        await self._serving.run(self._settled.set)
