import math
from datetime import timedelta
from typing import Any

import pytest

from service.domain.errors import DefinitionError
from service.domain.queue import QueuePolicy, Rate

MINUTE = timedelta(minutes=1)
RATE: Any = Rate
POLICY: Any = QueuePolicy


def test_the_burst_is_the_count_by_default() -> None:
    assert Rate(600, per=MINUTE).burst == 600
    assert Rate(600, MINUTE, 5) == Rate(600, per=MINUTE, burst=5)
    assert repr(Rate(1, per=MINUTE)) == "Rate(count=1, per=datetime.timedelta(seconds=60), burst=1)"
    assert len({Rate(1, MINUTE), Rate(1, MINUTE, 1)}) == 1


@pytest.mark.parametrize(
    ("count", "per", "burst"),
    [
        (0, MINUTE, None),
        (-1, MINUTE, None),
        (math.nan, MINUTE, None),
        (0.5, MINUTE, None),
        (True, MINUTE, None),
        ("600", MINUTE, None),
        (10**7, timedelta(days=30), None),
        (10**6, timedelta(seconds=1), None),
        (1, timedelta(0), None),
        (1, -MINUTE, None),
        (1, 60, None),
        (1, timedelta.max, None),
        (1, MINUTE, 0),
        (1, MINUTE, 1.5),
        (1, MINUTE, 10**9),
        (1, timedelta(days=366), 11),
    ],
)
def test_a_rate_that_makes_no_sense_is_refused(count: Any, per: Any, burst: Any) -> None:
    with pytest.raises(DefinitionError, match=r"give a|leave the rate out|lower the burst"):
        RATE(count, per, burst)


@pytest.mark.parametrize("concurrency", [0, -1, 1.5, True, math.inf, 2**31])
def test_a_cap_that_makes_no_sense_is_refused(concurrency: Any) -> None:
    with pytest.raises(DefinitionError, match="The concurrency of queue 'orders'"):
        QueuePolicy("orders", concurrency)


def test_a_rate_of_another_kind_is_refused() -> None:
    with pytest.raises(DefinitionError, match="give a Rate, such as"):
        POLICY("orders", None, 600)


def test_a_name_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(DefinitionError, match="A queue's name is empty"):
        QueuePolicy("")
