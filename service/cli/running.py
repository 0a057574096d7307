"""Puts a server together from its parts, and runs it to the end of the process."""

import logging
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from service.cli import logs
from service.cli.grace import Grace
from service.cli.meeting import Meeting
from service.cli.part import Part
from service.cli.status import REFUSED, fail
from service.cli.supervisor import Supervisor, leave
from service.cli.web_part import MakeApp, WebPart
from service.cli.worker_part import WorkerPart
from service.domain.registry import Workflows
from service.runtime.clock import SystemClock
from service.settings import Settings
from service.web.listening import CannotListen, bind

_TURN_SECONDS = 0.0005
"""How long a thread that has its answer from the database waits for a busy event loop to let it on.

Python's own 5 ms are longer than most transactions.
"""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a server does: answer with `app`, run workflows if `worker`, and what is added to that.

    `more` makes further parts, given the server's address; `started` tells whoever started it.
    """

    settings: Settings
    registry: Workflows
    app: MakeApp
    worker: bool
    started: Callable[[str], None]
    more: Callable[[str], Sequence[Part]] = lambda _: ()


def run(plan: Plan) -> NoReturn:
    """Run the server, and end the process with its exit status."""
    settings = plan.settings
    sys.setswitchinterval(_TURN_SECONDS)
    logs.configure(settings.log_format, settings.log_level)
    for warning in settings.warnings():
        _log.warning(warning)
    try:
        bound = bind(settings.host, settings.port)
    except CannotListen as error:
        fail(str(error), REFUSED)
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    address = f"http://{host}:{bound.getsockname()[1]}"
    grace = Grace.of(settings.grace)
    meeting = Meeting()
    parts: list[Part] = [
        WebPart(settings, plan.registry, grace, meeting, bound=bound, make_app=plan.app)
    ]
    if plan.worker:
        parts.append(WorkerPart(settings, plan.registry, grace, meeting))
    parts += plan.more(address)
    supervisor = Supervisor(parts, grace, SystemClock())
    leave(supervisor.run(lambda: plan.started(address)))
