"""The lane in which instances wait: its cap, its rate, and how it stands."""

from dataclasses import dataclass
from datetime import timedelta

from service.domain.checks import check_count, check_span
from service.domain.clock import micros
from service.domain.errors import DefinitionError
from service.domain.names import check_defined_name

_LARGEST_RATE = 1_000_000
_FASTEST = 10
_SLOWEST_REFILL = timedelta(days=3_653)


@dataclass(frozen=True, slots=True, init=False)
class Rate:
    """At most `count` claims per `per`, and `burst` at once, by default `count`.

    In any window of t seconds a queue claims at most burst + count × t / per. Raises
    DefinitionError when that makes no sense.
    """

    count: int
    per: timedelta
    burst: int

    def __init__(self, count: int, per: timedelta, burst: int | None = None) -> None:
        check_count(
            count,
            "Rate's count (for one in two seconds write Rate(1, per=timedelta(seconds=2)))",
            high=_LARGEST_RATE,
        )
        check_span(per, "Rate's per")
        burst = count if burst is None else burst
        check_count(burst, "Rate's burst", high=_LARGEST_RATE)
        if micros(per) < count * _FASTEST:
            raise DefinitionError(
                f"Rate({count:,}, per={per}) is above 100,000 a second: leave the rate out."
            )
        if burst * micros(per) > count * micros(_SLOWEST_REFILL):
            raise DefinitionError(
                f"Rate({count:,}, per={per}, burst={burst:,}) takes more than ten years to refill: "
                "lower the burst or raise the rate."
            )
        object.__setattr__(self, "count", count)
        object.__setattr__(self, "per", per)
        object.__setattr__(self, "burst", burst)


@dataclass(frozen=True, slots=True)
class QueuePolicy:
    """What a queue allows: how many instances run at once, and how many are claimed in a while.

    None is without bound. Raises DefinitionError when it makes no sense.
    """

    name: str
    concurrency: int | None = None
    rate: Rate | None = None

    def __post_init__(self) -> None:
        check_defined_name(self.name, "A queue's name")
        if self.concurrency is not None:
            check_count(self.concurrency, f"The concurrency of queue {self.name!r}")
        if self.rate is not None and not isinstance(self.rate, Rate):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise DefinitionError(
                f"The rate of queue {self.name!r} is {self.rate!r}: give a Rate, such as "
                "Rate(600, per=timedelta(minutes=1))."
            )


@dataclass(slots=True, kw_only=True)
class QueueView:
    """How a queue stands: the depth by live status, what it allows and what is left of it.

    `oldest_wait_seconds` is None when nothing is due; `tokens_left` is None without a rate.
    """

    name: str
    pending: int
    running: int
    waiting: int
    oldest_wait_seconds: float | None
    concurrency: int | None
    rate: Rate | None
    tokens_left: float | None
    paused: bool
