"""Whether this process lives, and whether it can be sent work."""

from collections.abc import Mapping
from dataclasses import dataclass

from service.domain.errors import Unavailable
from service.runtime.pulse import Pulse
from service.store.store import Store


@dataclass(frozen=True, slots=True)
class Report:
    """An answer to a probe, and what it rests on."""

    ok: bool
    details: Mapping[str, object]


class Health:
    """Answers the probes of one service. `pulses` are of the loops that run authors' code."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.pulses: list[Pulse] = []
        self.stopping = False

    def live(self) -> Report:
        """Return whether the event loops turn; a blocked one is named, and fails at its limit."""
        blocked = [pulse for pulse in self.pulses if pulse.blocked_for]
        details = {"blocked": [_told(pulse) for pulse in blocked]} if blocked else {}
        return Report(not any(pulse.blocked_too_long for pulse in blocked), details)

    async def ready(self) -> Report:
        """Return whether the database answers and the process is not stopping."""
        if self.stopping:
            return Report(ok=False, details={"stopping": True})
        try:
            await self._store.ready()
        except Unavailable as error:
            return Report(ok=False, details={"database": str(error)})
        live = self.live()
        return Report(live.ok, {"database": "ok", **live.details})


def _told(pulse: Pulse) -> Mapping[str, object]:
    return {"by": pulse.culprit, "seconds": round(pulse.blocked_for, 1)}
