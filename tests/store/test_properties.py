"""Whatever callers, workers, crashes and clocks do, in whatever order: the store keeps its word."""

from collections.abc import Generator
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.clock import FakeClock
from tests.scale import scaled
from tests.services import judged, lent
from tests.store.properties.life import Life

EXAMPLES = {"sqlite": scaled(80, 4000), "postgres": scaled(20, 1000)}
"""As many as take about as long on each."""


def test_a_life_keeps_to_the_rules(request: pytest.FixtureRequest, dialect: str) -> None:
    @contextmanager
    def lend(clock: FakeClock) -> Generator[str]:
        with lent(request, dialect) as url, judged(url, clock):
            yield url

    run_state_machine_as_test(
        lambda: Life(lend),  # type: ignore[arg-type] - whatever makes one will do
        settings=settings(
            max_examples=EXAMPLES[dialect],
            stateful_step_count=scaled(40, 80),
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )
