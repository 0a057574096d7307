"""What the settings say of a worker, in the units that the runtime counts in."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """`lease` and `retention` are microseconds, as the store counts; other times are seconds."""

    slots: int
    lease: int
    heartbeat: float
    tick: float
    blocked_after: float
    blocked_limit: float
    payload_limit: int
    retention: int
    prune_batch: int
