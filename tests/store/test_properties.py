"""Whatever callers, workers, crashes and clocks do, in whatever order: the store keeps its word."""

from hypothesis import HealthCheck, settings

from tests.scale import scaled
from tests.store.properties.life import Life

TestLife = Life.TestCase
TestLife.settings = settings(
    max_examples=scaled(80, 4000),
    stateful_step_count=scaled(40, 80),
    suppress_health_check=[HealthCheck.too_slow],
)
