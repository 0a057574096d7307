"""A fresh database for each test of the runtime, and workers on it."""

from collections.abc import AsyncGenerator, Callable

import pytest

from tests.runtime.driving import Driven
from tests.services import Process, clock, other, place, process

__all__ = ["clock", "other", "place", "process"]


@pytest.fixture
async def drive() -> AsyncGenerator[Callable[..., Driven]]:
    """Make workers that tick when they are told to, for workflows that are registered by then."""
    made: list[Driven] = []

    def make(process: Process, **policy: object) -> Driven:
        driven = Driven(process, **policy)
        made.append(driven)
        return driven

    yield make
    for driven in made:
        await driven.close()
